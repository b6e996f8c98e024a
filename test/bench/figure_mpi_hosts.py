# SPDX-License-Identifier: Apache-2.0
"""mpi_hosts: 8 hosts × 4 ranks of Open MPI over ssh, from the command until all have passed MPI_Init and a barrier; compared with mpirun over
the same ssh. The hosts are those of the figure `hosts`."""

from figure_hosts import MASTERS, hosts, muster_words, names, need_hosts, there
from figure_launch import measured
from hosts import PROGRAMS, REPORTS
from hosts_restart import report_folder
from sides import in_turns, median
from table import Row, Table, duration

HOSTS, RANKS = 8, 4  # on each host


def program(folder):
    return [PROGRAMS / "barrier_mpi", REPORTS / folder.name]


def muster(network):
    return measured(lambda folder: there(network, *muster_words(HOSTS, "-n", RANKS), "--", *program(folder)), HOSTS * RANKS, report_folder)


def anew(network):
    """The same without a kept connection."""
    network.here.run("sh", "-c", MASTERS)
    return muster(network)


def mpirun(network):
    words = ["mpirun", "--host", names(HOSTS), "--oversubscribe", "-n", HOSTS * RANKS, "--map-by", f"ppr:{RANKS}:node", "--wdir", "/"]
    return measured(lambda folder: there(network, *words, *program(folder)), HOSTS * RANKS, report_folder)


def measure(here, say):
    need_hosts()
    rounds = here.rounds or 5
    with hosts(here, HOSTS, here.programs) as network:
        sides = {"anew": lambda: anew(network), "muster": lambda: muster(network), "mpirun": lambda: mpirun(network)}
        in_turns(1, sides, lambda text: say("once unmeasured"))
        took = {name: median(times) for name, times in in_turns(rounds, sides, say).items()}
    what = f"{HOSTS} hosts × {RANKS} ranks, command → past MPI_Init and a barrier"
    return Table(f"mpi_hosts: programs of Open MPI 4.1; medians of {rounds}\n  rival: mpirun over the same ssh, with no connection from before",
                 [Row(what, took["anew"], took["mpirun"], duration, 1.0, True),
                  Row(f"{what}, over the connections of the job before", took["muster"], took["mpirun"], duration)])
