# SPDX-License-Identifier: Apache-2.0
"""mpi: programs of Open MPI under muster and under mpirun: from the command past MPI_Init and a barrier, a restart, and messages
between two ranks."""

from figure_launch import measured
from sides import environment, in_turns, median, muster_of, percentile, report_folder, reports_in, run
from table import Row, Table, duration

COUNTS = (2, 8, 32)
# What ping_pong_mpi reports, and how many times the message is under way in one call.
MESSAGES = {"small": ("8 B one way", 2), "large": ("1 MiB one way", 2), "stream": ("64 × 1 MiB in a row", 1)}


def by_mpirun(here, ranks, program, folder):
    run(["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", ranks, here.programs / program, folder], environment())


def restart(here, muster, ranks):
    """Seconds from the death of a rank until the last rank of the next attempt has passed its barrier."""
    with report_folder() as folder:
        run([muster.binary, "run", "-q", "-n", ranks, "--restarts", 1, "--", here.programs / "barrier_mpi", folder, "die"], muster.env)
        killed = int((folder / "killed").read_text())
        return (max(report.passed for report in reports_in(folder, ranks)) - killed) / 1e9


def messages(act):
    """The medians of MESSAGES, in seconds."""
    with report_folder() as folder:
        act(folder)
        reports = reports_in(folder, 1)
        return [percentile(reports, name, 0.5) / times for name, (_, times) in MESSAGES.items()]


def measure(here, say):
    rounds = here.rounds or 10
    with muster_of(here) as muster:
        def ours(ranks, program):
            return lambda folder: muster.run(ranks, here.programs / program, folder)

        def theirs(ranks, program):
            return lambda folder: by_mpirun(here, ranks, program, folder)

        sides = {}
        for ranks in COUNTS:
            sides["muster", ranks] = lambda ranks=ranks: measured(ours(ranks, "barrier_mpi"), ranks)
            sides["mpirun", ranks] = lambda ranks=ranks: measured(theirs(ranks, "barrier_mpi"), ranks)
            sides["restart", ranks] = lambda ranks=ranks: restart(here, muster, ranks)
        for name, act in (("muster", ours), ("mpirun", theirs), ("again", theirs)):
            sides[name, "messages"] = lambda act=act: messages(act(2, "ping_pong_mpi"))
        in_turns(1, sides, lambda text: say("once unmeasured"))
        found = in_turns(rounds, sides, say)
    took = {side: median(times) for side, times in found.items() if side[1] != "messages"}
    sent = {side[0]: [median(each) for each in zip(*times)] for side, times in found.items() if side[1] == "messages"}
    rows = [Row(f"{ranks} ranks, command → past MPI_Init and a barrier", took["muster", ranks], took["mpirun", ranks], duration, 0.8, True) for ranks in COUNTS]
    rows += [Row(f"2 ranks, {what}", sent["muster"][i], sent["mpirun"][i], duration, 1.02, True, again=sent["again"][i])
             for i, (what, _) in enumerate(MESSAGES.values())]
    rows += [Row(f"{ranks} ranks, one killed → all past the barrier again", took["restart", ranks], None, duration, of="itself") for ranks in COUNTS]
    return Table(f"mpi: programs of Open MPI 4.1; medians of {rounds}\n  rival: mpirun, which has no restart", rows)
