# SPDX-License-Identifier: Apache-2.0
"""true: overhead of muster for a program that does nothing: one rank, and gangs with many. Runs in a folder outside any repository, as
mpirun and a plain spawn do not look for one; and also in this repository, where git is asked for commit and changes meanwhile."""

import os
import time

from sides import Hung, Muster, environment, in_turns, median, muster_of, run
from table import Row, Table, duration

TRUE = "/bin/true"
ONE = 200                     # launches of one rank
MANY = (16, 64, 256)
SLACK = 0.040                 # seconds, in addition to 1.5 times a loop of bare spawns
P50, P99, COLD = 0.025, 0.050, 0.100
MPIRUN_PATIENCE = 5           # seconds, six times the duration for 256 ranks; mpirun sometimes hangs
MOST_HANGS = 15               # one after the other


def spawned(ranks):
    """Seconds of a loop that starts all and then waits for each: the lower bound."""
    began = time.monotonic()
    pids = [os.posix_spawn(TRUE, [TRUE], os.environ) for _ in range(ranks)]
    for pid in pids:
        os.waitpid(pid, 0)
    return time.monotonic() - began


def timed(act):
    began = time.monotonic()
    act()
    return time.monotonic() - began


class MpiRun:
    """The rival. If it hangs it is killed and started again; only runs that ended count."""

    def __init__(self):
        self.hung = 0
        self.never_ended = []  # with this many ranks

    def once(self, ranks):
        words = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", ranks, TRUE]
        return timed(lambda: run(words, environment(), MPIRUN_PATIENCE))

    def __call__(self, ranks):
        for _ in range(MOST_HANGS):
            try:
                return self.once(ranks)
            except Hung:
                self.hung += 1
        self.never_ended.append(ranks)
        raise Hung(f"mpirun -n {ranks} hung {MOST_HANGS} times in a row")

    def lines(self):
        if self.hung:
            yield f"mpirun hung {self.hung} times, for {MPIRUN_PATIENCE} s each, and was started again."
        for ranks in self.never_ended:
            yield f"mpirun -n {ranks} hung {MOST_HANGS} times in a row: there is nothing to compare with."


def cold(here):
    muster = Muster(here)
    try:
        return timed(lambda: muster.run(1, TRUE, folder=muster.state))
    finally:
        muster.end()


def at(times, share):
    return sorted(times)[min(len(times) - 1, int(len(times) * share))]


def one_rank(here, muster, say):
    sides = {"muster": lambda: timed(lambda: muster.run(1, TRUE, folder=muster.state)), "spawn": lambda: timed(lambda: run([TRUE], environment()))}
    found = in_turns(ONE, sides, lambda text: say(f"1 rank, {text}"))
    for what, share, target in (("p50", 0.5, P50), ("p99", 0.99, P99)):
        yield Row(f"1 rank, {what} of {ONE}", at(found["muster"], share), at(found["spawn"], share), duration, target, True, "beyond")
    first = in_turns(here.rounds or 10, {"cold": lambda: cold(here)}, lambda text: say(f"cold, {text}"))["cold"]
    yield Row("1 rank, the command starts the controller; beside one that is there", median(first), median(found["muster"]),
              duration, COLD, True, "beyond")


def gang(here, muster, mpirun, ranks, say):
    """The median of each side; without mpirun's if it never ends."""
    sides = {"muster": lambda: timed(lambda: muster.run(ranks, TRUE, folder=muster.state)), "loop": lambda: spawned(ranks),
             "in a repository": lambda: timed(lambda: muster.run(ranks, TRUE, folder=here.root))}
    turns = lambda all_sides: in_turns(here.rounds or 10, all_sides, lambda text: say(f"{ranks} ranks, {text}"))
    try:
        found = turns(sides | {"mpirun": lambda: mpirun(ranks)})
    except Hung:
        found = turns(sides)
    return {name: median(times) for name, times in found.items()}


def many_ranks(here, muster, mpirun, say):
    for ranks in MANY:
        took = gang(here, muster, mpirun, ranks, say)
        if "mpirun" in took:
            yield Row(f"{ranks} ranks, against mpirun", took["muster"], took["mpirun"], duration, 0.3, True)
            yield Row("  the same in this repository", took["in a repository"], took["mpirun"], duration, 0.3, True)
        yield Row(f"{ranks} ranks, against 1.5 loops of posix_spawn", took["muster"], 1.5 * took["loop"], duration, SLACK, True, "beyond")


def measure(here, say):
    mpirun = MpiRun()
    with muster_of(here) as muster:
        for _ in range(3):
            muster.run(1, TRUE)
        rows = [*one_rank(here, muster, say), *many_ranks(here, muster, mpirun, say)]
    return Table(f"true: N × {TRUE}, command to exit, controller warm; medians of {here.rounds or 10} where no other is named\n"
                 "  rivals: a spawn of the command by itself, mpirun, a loop of posix_spawn", rows, tuple(mpirun.lines()))
