"""What a job on hosts takes while it sleeps: the controller and one host's processes, against mpirun and its daemon there."""

import os
import subprocess
from contextlib import contextmanager

from table import Row, size

RANK = "sleep 600"
PATIENCE = 120


def resident(world, *words):
    """(processes, their memory in bytes) there whose command line, without its program's folder, begins with one of the words."""
    own = []
    for line in world.run("ps", "-eo", "rss,args", "--no-headers").splitlines():
        rss, program, *rest = line.split()
        if " ".join([program.rpartition("/")[2], *rest]).startswith(words):
            own.append(int(rss) << 10)
    return len(own), sum(own)


@contextmanager
def mpirun(network, words, wait_for):
    with subprocess.Popen(network.here.words(*words, *RANK.split(), user=os.environ["SSH_TEST_UID"]), env=network.variables(),
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as rival:
        wait_for(lambda: all(resident(network.hosts[at], RANK)[0] for at in (0, -1)), "mpirun's ranks", PATIENCE)
        try:
            yield
        finally:
            rival.terminate()


def rows(network, desk, names, mpi_words, wait_for):
    """Of all its hosts. ssh counts for neither: both have one a host."""
    count = len(network.hosts)
    desk.wait_until(desk.submit(RANK, hosts=names), "running", PATIENCE)
    ours, (processes, there) = resident(network.here, "muster serve")[1], resident(network.hosts[0], "muster ")
    desk.end()
    with mpirun(network, mpi_words, wait_for):
        theirs, (daemons, theirs_there) = resident(network.here, "mpirun")[1], resident(network.hosts[0], "orted")
    yield Row(f"{count} hosts, memory of controller and a host's agent, against mpirun and orted", ours + there, theirs + theirs_there, size, 1.0, True)
    yield Row("  the controller's, against mpirun's", ours, theirs, size)
    yield Row("  processes on a host beside ranks and sshd, against orted", processes, daemons, lambda number: f"{number:.0f}")
