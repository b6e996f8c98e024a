"""Links to hosts, over a real sshd: one connection a host, which sessions share, and what becomes of jobs when it is lost."""

import time

import pytest

from desk import Desk, left_in_folders
from waiting import wait_for

LASTING = "while [ ! -e /tmp/go ]; do sleep 0.1; done; echo went $MUSTER_RANK"


@pytest.fixture
def desk(network, hosts):
    desk = Desk(network)
    yield desk
    desk.end()
    for host in hosts:
        wait_for(lambda host=host: host.processes() == [], lambda host=host: f"nothing to run on {host.name}: {host.processes()}", 60)
        wait_for(lambda host=host: left_in_folders(host) == [], lambda host=host: f"nothing to lie on {host.name}: {left_in_folders(host)}", 10)


def test_a_second_job_is_faster(network, hosts, desk):
    took = []
    for _ in range(3):
        began = time.monotonic()
        done = desk.muster("run", "--backend", "ssh", "--hosts", "a1,a2", "--workdir", "/", "--", "true")
        took.append(time.monotonic() - began)
        assert done.returncode == 0, done.stderr
    print("TOOK", took)
    print(network.here.processes(), network.here.run("sh", "-c", "ls -la /tmp/muster-*"))
