# SPDX-License-Identifier: Apache-2.0
"""Runs `muster torchrun` commands as if on several hosts: they run on one machine and meet at a port of a separate loopback address."""

import socket

from waiting import wait_for

WAITS = """
import os, signal
def hear(number, frame):
    raise SystemExit(1)
signal.signal(signal.SIGTERM, hear)
signal.signal(signal.SIGINT, hear)
os.write(1, f"rank {os.environ['RANK']} ready, restart {os.environ['TORCHELASTIC_RESTART_COUNT']}\\n".encode())
while True:
    signal.pause()
"""
TELLS_AND_WAITS = """
import os, signal
signal.signal(signal.SIGTERM, lambda *_: os._exit(1))
e = os.environ
os.write(1, f"rank {e['RANK']} of world {e['WORLD_SIZE']}, host {e['GROUP_RANK']} of {e['GROUP_WORLD_SIZE']}, restart {e['TORCHELASTIC_RESTART_COUNT']}\\n".encode())
while True:
    signal.pause()
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Hosts:
    """Two hosts, with 2 ranks and 1 rank, that meet by node rank or, with c10d, by arrival."""

    def __init__(self, muster):
        self.muster, self.port = muster, free_port()

    def flags(self, node, meet):
        if meet == "c10d":
            return ["--rdzv-backend", "c10d", "--rdzv-id", "mine", "--rdzv-endpoint", f"localhost:{self.port}"]
        return ["--node-rank", node, "--master-addr", "127.0.0.1", "--master-port", self.port]

    def start(self, node, *words, meet="static", nodes=2, env=None, cwd=None):
        here = ["torchrun", "--nnodes", nodes, "--nproc-per-node", 2 if node == 0 else 1, *self.flags(node, meet)]
        return self.muster.start(*here, *words, env={"HERE": f"host {node}"} | (env or {}), cwd=cwd)

    def both(self, *words, **options):
        first = self.start(0, *words, **options)
        wait_for(lambda: reachable(self.port) or "error" in first.err(), "the first host to listen")
        return first, self.start(1, *words, **options)


class Elastic:
    """Commands with --nnodes MIN:MAX that meet by arrival; the first has 2 ranks, the others 1."""

    def __init__(self, muster, hosts, nodes, last_call=1):
        self.hosts, self.nodes, self.last_call = hosts, nodes, last_call
        muster.write("wait.py", TELLS_AND_WAITS)
        self.first = self.start(0)
        wait_for(lambda: reachable(hosts.port), "the first host to listen")

    def start(self, host, restarts=2):
        conf = f"last_call_timeout={self.last_call}"
        return self.hosts.start(host, "--max-restarts", restarts, "--rdzv-conf", conf, "wait.py", meet="c10d", nodes=self.nodes)


def reachable(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def ended(command, code):
    assert command.end().code == code, command
    return command


def clear_away(muster):
    """The next command removes the socket of a killed command."""
    muster.ok("torchrun", "--no-python", "true")
    for job in muster.ok("ps", "-a", "-o", "json").json()["jobs"]:
        assert job["state"] in ("succeeded", "failed", "cancelled"), job


def ready(*commands):
    for command in commands:
        wait_for(lambda command=command: "ready" in command.out(), lambda command=command: f"ranks to be ready: {command}")


def told(command, *sentences):
    for sentence in sentences:
        wait_for(lambda sentence=sentence: sentence in command.out() + command.err(), lambda sentence=sentence: f"`{sentence}`: {command}")
