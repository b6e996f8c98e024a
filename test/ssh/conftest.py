# SPDX-License-Identifier: Apache-2.0
"""A network of hosts for all tests of this folder. Needs root, MUSTER_BINARY, SSH_TEST_SSHD and SSH_TEST_UID (scripts/test ssh)."""

import os
from pathlib import Path

import pytest

from hosts import TORCH, Network  # first: it sets the path of `waiting`

from desk import Desk, left_in_folders
from waiting import wait_for


def pytest_configure(config):
    config.addinivalue_line("markers", "alone: no other test may run at the same time")


def pytest_collection_modifyitems(items):
    if os.geteuid() != 0:
        for item in items:
            item.add_marker(pytest.mark.skip(reason="hosts are network namespaces, which only root makes"))


@pytest.fixture(scope="session")
def network(tmp_path_factory):
    made = Network(tmp_path_factory.mktemp("network"), Path(os.environ["MUSTER_BINARY"]), 4)
    yield made
    made.end()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    if call.when == "call":
        item.failed = outcome.get_result().failed


@pytest.fixture
def hosts(request, network):
    """Hosts with an sshd that accepts the user, without muster. After a test no process may be left there, unless the test failed."""
    network.know(network.hosts)
    for host in network.hosts:
        host.run("sh", "-c", "rm -rf /home/mia/.[!.]* /home/mia/* /var/tmp/* /tmp/*; chown mia /home/mia")
        host.serve(network.public_key)
    yield network.hosts
    failed = getattr(request.node, "failed", True)
    try:
        if not failed:
            nothing_runs_on(network.hosts)
    except AssertionError:
        failed = True
        raise
    finally:
        if failed:
            network.sweep()


def nothing_runs_on(hosts):
    for host in hosts:
        wait_for(lambda host=host: host.processes() == [], lambda host=host: f"nothing to run on {host.name}: {host.processes()}", 60)


@pytest.fixture
def torch(network):
    """Installs Debian's python3 with torch, here and on all hosts."""
    packages = Path(os.environ.get("SSH_TEST_TORCH", "/nowhere"))
    if not (packages / "torch").exists():
        pytest.skip("SSH_TEST_TORCH names no packages with torch; scripts/test ssh fetches them")
    folder = f"/usr/local/lib/{packages.parent.name}/dist-packages"
    if not Path(folder).exists():
        pytest.skip(f"{packages} is for another Python than Debian's")
    for world in (network.here, *network.hosts):
        world.run("mount", "--bind", TORCH, folder)
    yield packages
    for world in (network.here, *network.hosts):
        world.run("umount", "--lazy", folder)  # warm parents may use it


@pytest.fixture
def desk(request, network, hosts):
    desk = Desk(network)
    yield desk
    if getattr(request.node, "failed", True):
        return
    desk.end()
    nothing_runs_on(hosts)
    for host in hosts:
        wait_for(lambda host=host: left_in_folders(host) == [], lambda host=host: f"nothing to lie on {host.name}: {left_in_folders(host)}", 60)
