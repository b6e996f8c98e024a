# SPDX-License-Identifier: Apache-2.0
"""coordinator: a coordinator in its pod with as many agents as a large job has. The agents are simulated; each connects by TLS with
the job's token."""

import json
import os
import resource
import secrets
import socket
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

from figure_agents import parts
from sides import Failed
from table import Row, Table, duration, size
from waiting import wait_for

AGENTS, PROCESSES = 1000, 2
ADDRESS, PORT = "127.61.7.1", 7733
PATIENCE = 60
MOST = 128 << 20  # about 100 KiB for each TLS connection of gRPC


def job():
    return {"name": "swarm", "backend": "kubernetes", "nodes": AGENTS, "workdir": "/", "command": ["python", "train.py", "--epochs", "90"],
            "restarts": {"limit": 3, "backoff": {"first": "0s", "then": "1ms..1ms"}}, "kubernetes": {"image": "localhost/base:1"}}


@contextmanager
def coordinator(here, folder, token):
    """`muster pod coordinate` as in a pod, and its log."""
    (folder / "secret").mkdir()
    (folder / "secret/token").write_text(token)
    own = {"MUSTER_POD_FOLDER": str(folder), "MUSTER_POD_SECRETS": str(folder / "secret"), "MUSTER_POD_TERMINATION_MESSAGE": str(folder / "last-words"),
           "MUSTER_POD_UID": "coordinator", "MUSTER_POD_NAME": "coordinator", "MUSTER_POD_ADDRESS": ADDRESS, "MUSTER_POD_NODE": "machine",
           "MUSTER_POD_JOB": json.dumps(job())}
    with open(folder / "log", "wb") as log:
        process = subprocess.Popen([here.muster, "pod", "coordinate"], env={"PATH": os.environ["PATH"]} | own, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        wait_for(listens, lambda: f"the coordinator to listen: {(folder / 'log').read_text()}", PATIENCE)
        yield process, folder / "log"
    finally:
        process.kill()
        process.wait()


def listens():
    with socket.socket() as probe:
        return probe.connect_ex((ADDRESS, PORT)) == 0


def memory_of(pid):
    """Bytes of its own pages, and of all resident pages, including the program's file."""
    lines = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return tuple(int(lines[key].split()[0]) * 1024 for key in ("RssAnon", "VmRSS"))


def met(clients, attempt):
    return max(client.wait("past", attempt)[0] for client in clients)


def rows(here):
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    token, each = secrets.token_hex(32), AGENTS // PROCESSES
    with tempfile.TemporaryDirectory(prefix="muster-bench-") as folder, coordinator(here, Path(folder), token) as (process, log), parts() as start:
        words = [here.root / "build/release/muster_agent_swarm", "pods", ADDRESS, token]
        clients = [start([*words, number * each, each, each]) for number in range(PROCESSES)]
        try:
            began = min(client.wait("dialling")[0] for client in clients)
            joined = met(clients, "1")
            first = memory_of(process.pid)
            clients[-1].say("fail\n")
            failed = clients[-1].wait("failed")[0]
            again = met(clients, "2")
        except Failed as error:
            raise Failed(f"{error}\n{log.read_text()[-2000:]}") from error
        last = memory_of(process.pid)
    yield Row(f"{AGENTS:,} agents by TLS, dialled → all past their first barrier", (joined - began) / 1e9, None, duration, None, True, "itself")
    yield Row("a rank fails → all past the next", (again - failed) / 1e9, None, duration, None, True, "itself")
    yield Row(f"the coordinator's own memory then (resident with its file: {size(first[1])})", first[0], None, size, MOST, True, "itself")
    yield Row(f"and after that restart (resident with its file: {size(last[1])})", last[0], None, size, MOST, True, "itself")


def measure(here, say):
    say("a coordinator of many agents")
    return Table(f"coordinator: {AGENTS:,} simulated agents, each by TLS", [*rows(here)])
