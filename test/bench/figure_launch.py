# SPDX-License-Identifier: Apache-2.0
"""launch: 8 C++ ranks, from the command until the last rank has passed its first barrier."""

import time

from sides import Muster, environment, in_turns, median, muster_of, report_folder, reports_in, run
from table import Row, Table, duration

RANKS = 8


def measured(act, ranks=RANKS, folder_of_reports=report_folder):
    """Seconds from the start of the command until the last rank has passed the barrier."""
    with folder_of_reports() as folder:
        began = time.monotonic_ns()
        act(folder)
        return (max(report.passed for report in reports_in(folder, ranks)) - began) / 1e9


def mpirun(here):
    words = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", RANKS, here.programs / "barrier_mpi"]
    return measured(lambda folder: run([*words, folder], environment()))


def warm(here, muster, *kind):
    return measured(lambda folder: muster.run(RANKS, here.programs / "barrier_muster", folder, *kind))


def cold(here):
    muster = Muster(here)
    try:
        return warm(here, muster)
    finally:
        muster.end()


def measure(here, say):
    rounds = here.rounds or 15
    with muster_of(here) as muster:
        sides = {"warm": lambda: warm(here, muster), "cold": lambda: cold(here),
                 "communicator": lambda: warm(here, muster, "communicator"), "mpirun": lambda: mpirun(here)}
        in_turns(1, sides, lambda text: say("once unmeasured"))
        took = {name: median(times) for name, times in in_turns(rounds, sides, say).items()}
    rival = took["mpirun"]
    return Table(f"launch: {RANKS} C++ ranks, command → all past the first barrier; medians of {rounds}\n"
                 "  rival: mpirun, MPI_Init + MPI_Barrier",
                 [Row("controller warm", took["warm"], rival, duration, 0.2, True),
                  Row("controller cold, new state folder", took["cold"], rival, duration),
                  Row("warm, barrier of a communicator (Gloo)", took["communicator"], rival, duration)])
