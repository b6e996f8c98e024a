# SPDX-License-Identifier: Apache-2.0
"""Memory of a sleeping job on hosts: the controller and one host's processes, compared with mpirun and its daemon there."""

import os
import subprocess
from collections import Counter
from contextlib import contextmanager

from sides import pass_time
from table import Row, size

RANK = "sleep 600"
PATIENCE = 120
SETTLE = 12  # seconds of sleep before either side is measured


def processes(world, *words):
    """Pids on that host whose command line begins with one of these words, after the folder of the program."""
    lines = [line.split() for line in world.run("ps", "-eo", "pid,args", "--no-headers").splitlines()]
    return [pid for pid, program, *rest in lines if " ".join([program.rpartition("/")[2], *rest]).startswith(words)]


def resident(world, pids):
    """Memory in bytes: private pages of each process; for a file mapped by several, the largest resident part."""
    own, files = 0, Counter()
    for pid in pids:
        name, of = "", Counter()
        for line in world.file(f"/proc/{pid}/smaps").read_text().splitlines():
            key, *rest = line.split()
            if "-" in key and not key.endswith(":"):
                name = " ".join(rest[4:]) + rest[0]
            elif key == "Rss:":
                of[name] += int(rest[0]) << 10
            elif key == "Anonymous:":
                of[name] -= int(rest[0]) << 10
                own += int(rest[0]) << 10
        files |= of
    return own + files.total()


@contextmanager
def mpirun(network, words, wait_for):
    with subprocess.Popen(network.here.words(*words, *RANK.split(), user=os.environ["SSH_TEST_UID"]), env=network.variables(),
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as rival:
        wait_for(lambda: all(processes(network.hosts[at], RANK) for at in (0, -1)), "mpirun's ranks", PATIENCE)
        try:
            yield
        finally:
            rival.terminate()


def rows(network, desk, names, mpi_words, wait_for):
    """All hosts together. ssh is not counted: both sides have one for each host."""
    count = len(network.hosts)
    desk.wait_until(desk.submit(RANK, hosts=names), "running", PATIENCE)
    pass_time(SETTLE)
    own = processes(network.hosts[0], "muster ")
    ours, there = resident(network.here, processes(network.here, "muster serve")), resident(network.hosts[0], own)
    desk.end()
    with mpirun(network, mpi_words, wait_for):
        pass_time(SETTLE)
        daemons = processes(network.hosts[0], "orted")
        theirs, theirs_there = resident(network.here, processes(network.here, "mpirun")), resident(network.hosts[0], daemons)
    yield Row(f"{count} hosts, memory of controller and a host's agent, against mpirun and orted", ours + there, theirs + theirs_there, size, 1.0, True)
    yield Row("  the controller's, against mpirun's", ours, theirs, size)
    yield Row("  processes on a host beside ranks and sshd, against orted", len(own), len(daemons), lambda number: f"{number:.0f}")
