# SPDX-License-Identifier: Apache-2.0
"""agents: time until ten thousand agents have joined one coordinator, and again after a restart of all; compared with gRPC for as many
streams and messages."""

import contextlib
import resource
import subprocess
import tempfile
import threading
from queue import Empty, Queue

from sides import Failed, in_turns, median
from table import Row, Table, duration, size

AGENTS, PROCESSES = 10_000, 4
SHARED = 2  # connections of each process if its agents share them
MESSAGE = 250  # bytes of the rival's messages
JOIN, RESTART = 5.0, 3.0
PATIENCE = 120
# Messages of an agent while it joins, and while all restart: the rival's rounds.
JOIN_ROUNDS, RESTART_ROUNDS = 3, 4


def count(number):
    return f"{number:.1f}"


class Part:
    """One process and the lines that it prints."""

    def __init__(self, words):
        self.process = subprocess.Popen([str(word) for word in words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.lines = Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line.split())
        self.lines.put(None)

    def wait(self, *what):
        """The numbers of the next line with this prefix."""
        while True:
            try:
                line = self.lines.get(timeout=PATIENCE)
            except Empty:
                line = None
            if line is None or line[0] == "lost":
                raise Failed(f"{' '.join(self.process.args[:3])} told no `{' '.join(what)}`: {line}")
            if line[:len(what)] == list(what):
                return [int(word) for word in line[len(what):]]

    def say(self, text):
        self.process.stdin.write(text)
        self.process.stdin.flush()

    def end(self):
        with contextlib.suppress(OSError):
            self.process.stdin.close()


@contextlib.contextmanager
def parts():
    started = []

    def start(words):
        started.append(Part(words))
        return started[-1]

    try:
        yield start
    finally:
        for part in started:
            part.process.kill()
            part.process.wait()


def shares():
    each = AGENTS // PROCESSES
    return [(i * each, each) for i in range(PROCESSES)]


def swarm(here, connections):
    program = here.root / "build/release/muster_agent_swarm"
    with parts() as start, tempfile.TemporaryDirectory(prefix="muster-bench-") as state:
        host = start([program, "host", state, AGENTS])
        port, = host.wait("port")
        clients = [start([program, "agents", port, first, number, connections]) for first, number in shares()]
        began = min(client.wait("dialling")[0] for client in clients)
        running = host.wait("running", "1")[0]
        joined = max(running, *(client.wait("past", "1")[0] for client in clients))
        clients[-1].say("fail\n")
        failed = clients[-1].wait("failed")[0]
        again = host.wait("running", "2")[0]
        met = max(client.wait("past", "2")[0] for client in clients)
        host.say("tell\n")
        sent, received = host.wait("bytes")
        before, after = host.wait("memory")
        for client in clients:
            client.end()
        messages = sum(client.wait("messages")[0] for client in clients)
    return {"join": (joined - began) / 1e9, "restart": (again - failed) / 1e9, "met again": (met - failed) / 1e9,
            "bytes": (sent + received) / AGENTS, "memory": (after - before) * 1024 / AGENTS, "messages": messages / AGENTS}


def bare(here, connections):
    program = here.root / "build/release/muster_stream_rate"
    with parts() as start:
        port, = start([program, "serve"]).wait("port")
        words = [connections, JOIN_ROUNDS, MESSAGE, MESSAGE]
        clients = [start([program, "streams", port, number, *words]) for _, number in shares()]
        began = min(client.wait("began")[0] for client in clients)
        done = max(client.wait("done")[0] for client in clients)
        for client in clients:
            client.say("again\n")
        again = min(client.wait("began")[0] for client in clients)
        met = max(client.wait("done")[0] for client in clients)
    return {"join": (done - began) / 1e9, "restart": (met - again) / 1e9 / JOIN_ROUNDS * RESTART_ROUNDS}


def medians(results):
    return {key: median([result[key] for result in results]) for key in results[0]}


def measure(here, say):
    rounds = here.rounds or 3
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    own = AGENTS // PROCESSES  # connections of a process if each agent has one
    sides = {"muster": lambda: swarm(here, SHARED), "gRPC": lambda: bare(here, SHARED),
             "muster, own": lambda: swarm(here, own), "gRPC, own": lambda: bare(here, own)}
    took = {side: medians(results) for side, results in in_turns(rounds, sides, say).items()}
    ours, rival, own_ours, own_rival = took.values()
    rows = [Row("join: dialled → all past the barrier of attempt 1", ours["join"], None, duration, JOIN, True, "itself"),
            Row("  beside as many streams and messages of gRPC alone", ours["join"], rival["join"], duration, None, True),
            Row("a rank fails → all run in attempt 2", ours["restart"], None, duration, RESTART, True, "itself"),
            Row("  beside gRPC alone", ours["restart"], rival["restart"], duration, None, True),
            Row("  … → all past its barrier", ours["met again"], None, duration, None, True, "itself"),
            Row("a connection per agent: join", own_ours["join"], own_rival["join"], duration, None, True),
            Row("a connection per agent: restart", own_ours["restart"], own_rival["restart"], duration, None, True),
            Row("bytes on the wire per agent, both attempts", ours["bytes"], None, size, None, True, "itself"),
            Row("memory of the coordinator per agent", ours["memory"], None, size, None, True, "itself"),
            Row("  with a connection each", own_ours["memory"], None, size, None, True, "itself"),
            Row("messages per agent, beats included", ours["messages"], None, count, None, True, "itself")]
    return Table(f"agents: {AGENTS:,} simulated agents of {PROCESSES} processes at one coordinator; medians of {rounds}", rows)
