"""A network of hosts for all tests of this folder. Wants root, MUSTER_BINARY, SSH_TEST_SSHD and SSH_TEST_UID (scripts/test ssh)."""

import os
from pathlib import Path

import pytest

from hosts import Network


def pytest_collection_modifyitems(items):
    if os.geteuid() != 0:
        for item in items:
            item.add_marker(pytest.mark.skip(reason="hosts are network namespaces, which only root makes"))


@pytest.fixture(scope="session")
def network(tmp_path_factory):
    made = Network(tmp_path_factory.mktemp("network"), Path(os.environ["MUSTER_BINARY"]), 4)
    yield made
    made.end()


@pytest.fixture
def hosts(network):
    """All hosts with an sshd that lets the user in; nothing of muster on them."""
    network.know(network.hosts)
    for host in network.hosts:
        host.run("sh", "-c", "rm -rf /home/mia/.[!.]* /home/mia/* /var/tmp/* /tmp/*; chown mia /home/mia")
        host.serve(network.public_key)
    yield network.hosts
    for host in network.hosts:
        assert host.processes() == [], f"left on {host.name}"
