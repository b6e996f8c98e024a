# SPDX-License-Identifier: Apache-2.0
"""Hosts whose C library is older than this machine's: muster brings its own, and ranks use the host's."""

import json

import pytest

from desk import Desk
from hosts import OLD_ROOT
from waiting import wait_for

OLD = "/run/old"
BUILDS = f"{OLD}/home/mia/.cache/muster/bin"


@pytest.fixture
def old(network, hosts):
    """a1, where one account sees only Debian 11."""
    host = hosts[0]
    if not host.file(OLD_ROOT / "bin/sh").exists():
        pytest.skip("SSH_TEST_OLD_ROOT names no root of an older Debian; scripts/test ssh fetches one")
    host.run("sh", "-ec", f"mkdir {OLD}; mount --bind {OLD_ROOT} {OLD}; mount -o remount,bind,ro {OLD}; mount --bind /proc {OLD}/proc; mount --rbind /dev {OLD}/dev; "
             f"for f in home run tmp var/tmp; do mount -t tmpfs -o mode=1777 tmpfs {OLD}/$f; done; mkdir {OLD}/home/mia; chown mia {OLD}/home/mia")
    host.serve(network.public_key, f"ChrootDirectory {OLD}")
    yield host
    wait_for(lambda: host.processes() == [], lambda: f"nothing to run on {host.name}: {host.processes()}", 60)
    host.hang_up()  # kept connections also keep the root folder of the session
    host.run("sh", "-ec", f"umount --recursive {OLD}; rmdir {OLD}")


@pytest.fixture
def desk(network, old):
    desk = Desk(network)
    yield desk
    desk.end()


def asked(network, names):
    done = network.muster("hosts", "--hosts", names, "-o", "json")
    assert done.returncode == 0, done.stdout + done.stderr
    return {each["name"]: each for each in json.loads(done.stdout)["hosts"]}


def libraries(host, builds):
    return host.run("sh", "-c", f"ls {builds}/*/libraries 2>/dev/null || true").split()


def test_libraries_travel_once_and_to_whom_they_are_needed(network, hosts, old):
    first = asked(network, "a1,a2")
    assert first["a1"]["sent_bytes"] > first["a2"]["sent_bytes"] > 2**20
    assert {"loader", "libc.so.6"} <= set(libraries(old, BUILDS))
    assert libraries(hosts[1], "/home/mia/.cache/muster/bin") == []
    assert first["a1"]["facts"]["cpus"] > 0 and first["a1"]["facts"]["addresses"][0]["address"] == old.address
    assert {each["sent_bytes"] for each in asked(network, "a1,a2").values()} == {0}


def test_a_job_runs_there_with_the_hosts_own_libraries(network, hosts, old, desk):
    script = "echo rank $MUSTER_RANK of $MUSTER_WORLD_SIZE, ${LD_LIBRARY_PATH-none}, $(ls -d /var/lib/dpkg 2>/dev/null || echo old); cat >/dev/null; exit 0"
    done = desk.muster("run", "--hosts", "a1,a2", "--workdir", "/", "--", "sh", "-c", script)
    assert done.returncode == 0, done.stderr
    assert "rank 0 of 2, none, old" in done.stdout and "rank 1 of 2, none, /var/lib/dpkg" in done.stdout


def test_ranks_there_outlive_their_link(network, hosts, old, desk):
    name = desk.submit("while [ ! -e /tmp/go ]; do sleep 0.1; done; echo went", hosts="a1")
    desk.wait_until(name, "running")
    assert desk.muster("exec", name, "--rank", "0", "--", "uname", "-n").stdout == "a1\n"
    old.hang_up()
    desk.wait_for_event(name, "the link to a1 is lost")
    old.run("touch", f"{OLD}/tmp/go")
    old.serve(network.public_key, f"ChrootDirectory {OLD}")
    desk.wait_until(name, "succeeded")
    assert "went" in desk.muster("logs", name).stdout

