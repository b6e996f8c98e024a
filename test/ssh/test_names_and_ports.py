# SPDX-License-Identifier: Apache-2.0
"""Hosts whose TCP ports are in use, and hosts whose name server never answers."""

import subprocess
from contextlib import contextmanager

from hosts import USER
from waiting import wait_for

# Takes all TCP ports that muster takes its own from, but those named; says so, and keeps them.
TAKES = """
import os, resource, socket, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (10000, 10000))
left, taken = set(map(int, sys.argv[1:])), []
for port in range(20000, 28000):
    if port in left: continue
    taken.append(socket.socket())
    taken[-1].setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # connections of an earlier test may still be closing
    taken[-1].bind(('', port))
    taken[-1].listen(1)
print('taken', flush=True)
sys.stdin.read()
"""
# A name server that receives requests and never answers. It prints their number.
SILENT = """
import select, socket, sys
asked = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
asked.bind(('', 53))
print('listens', flush=True)
while sys.stdin not in select.select([asked, sys.stdin], [], [])[0]: print('asked', asked.recv(4096)[12:40], flush=True)
"""
FREE = 26543
RESOLVER = "10.77.0.4"  # a4


@contextmanager
def playing(host, script, *words):
    """Runs the script there until its stdin is closed, and waits for its first line. Returns the output after that line."""
    said = host.folder / "said"
    with open(said, "wb") as file, subprocess.Popen(host.words("python3", "-c", script, *words), stdin=subprocess.PIPE, stdout=file) as played:
        wait_for(lambda: said.read_text().count("\n"), "it to play", 60)
        try:
            yield lambda: said.read_text().splitlines()[1:]
        finally:
            played.stdin.close()
            played.wait(60)


def ports_that_ranks_see(desk):
    return desk.muster("run", "--framework", "torch", "--hosts", "a1,a2", "--workdir", "/", "--", "sh", "-c", "echo $MASTER_PORT")


def ports(done):
    return [line.split()[-1] for line in done.stdout.splitlines()]


def test_a_port_that_is_taken_on_a_host_is_passed_over(network, hosts, desk):
    with playing(hosts[0], TAKES, str(FREE)):
        done = ports_that_ranks_see(desk)
        assert done.returncode == 0 and ports(done) == [str(FREE)] * 2, done


def test_a_host_without_a_port_that_is_free_is_named_and_waited_for(network, hosts, desk):
    with playing(hosts[0], TAKES):
        name = desk.submit("true", "--framework", "torch")
        desk.wait_for_event(name, "waits for a port on a1: no free TCP port in 20000-27999")
    desk.wait_until(name, "succeeded")


@contextmanager
def dead_resolver(network, hosts):
    """All hosts, and this machine, have a name server that never answers."""
    worlds = [network.here, *hosts]
    before = [(world.folder / "resolv.conf").read_text() for world in worlds]
    with playing(hosts[3], SILENT) as said:
        for world in worlds:
            (world.folder / "resolv.conf").write_text(f"nameserver {RESOLVER}\n")
        try:
            yield said
        finally:
            for world, text in zip(worlds, before):
                (world.folder / "resolv.conf").write_text(text)


def test_a_job_asks_for_no_name(network, hosts, desk):
    """So a job takes no longer if names cannot be resolved."""
    with dead_resolver(network, hosts) as asked:
        done = desk.muster("run", "--framework", "torch", "--hosts", "a1,a2,a3", "--workdir", "/", "--", "sh", "-c", "echo $MASTER_ADDR")
        assert done.returncode == 0 and len(done.stdout.splitlines()) == 3, done
        assert asked() == []


def test_a_name_that_is_never_answered_is_told_beside_hosts_that_are_there(network, hosts, desk):
    with dead_resolver(network, hosts) as asked:
        done = desk.muster("hosts", "--hosts", f"a1,{USER}@nowhere.example")
        wait_for(asked, "ssh to have asked", 60)
    assert done.returncode == 3 and "the host name cannot be resolved" in done.stdout + done.stderr, done
    assert [line for line in done.stdout.splitlines() if line.startswith("a1 ")], done.stdout
