# SPDX-License-Identifier: Apache-2.0
"""output: a gigabyte of lines from four ranks, followed into a pipe: no byte is lost, no line is split."""

import contextlib
import os
import resource
import subprocess
import tempfile
import time
from pathlib import Path

from figure_controller import tree, wait_for
from sides import PATIENCE, Failed, environment, in_turns, median, muster_of, run
from table import Row, Table, duration, rate

RANKS, MEGABYTES = 4, 250  # bytes of each rank


def drained(words, env, path):
    """Runs the command with its stdout in a pipe and moves the bytes to the file with splice(2), which takes almost no time. Returns
    (seconds, CPU seconds of the command and of children it waited for)."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.monotonic()
    process = subprocess.Popen([str(word) for word in words], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL)
    with open(path, "wb") as file:
        while os.splice(process.stdout.fileno(), file.fileno(), 1 << 20):
            pass
    status = process.wait(PATIENCE)
    took = time.monotonic() - began
    if status != 0:
        raise Failed(f"{words[0]} ended with {status}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return took, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def checked(here, path):
    """"whole", or what is wrong with the lines."""
    done = subprocess.run([here.programs / "spam_check", path, str(RANKS), str(MEGABYTES)], capture_output=True, text=True, check=False)
    return done.stdout.strip()


def cpu_with_children(pid):
    """CPU seconds of a process and of all waited-for descendants."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def by_muster(here, muster):
    muster.run(1, "/bin/true")  # an idle controller may have ended
    controller = muster.controller()
    with tempfile.NamedTemporaryFile(prefix="muster-bench-") as file:
        before = cpu_with_children(controller)
        took, cpu = drained([here.muster, "run", "-n", RANKS, "--", here.programs / "spam", MEGABYTES], muster.env, file.name)
        run([here.muster, "rm", "--idle"], muster.env)  # an agent's time becomes its controller's when it has ended
        wait_for(lambda: len(tree(controller)) == 1, "the agents' end")
        cpu += cpu_with_children(controller) - before
        state = checked(here, file.name)
    with contextlib.suppress(Failed):
        run([here.muster, "rm", "--all"], muster.env)
    return took, cpu, state


def by_torchrun(here):
    words = [here.torch, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", RANKS, "--tee", "3", "--no-python",
             here.programs / "spam", MEGABYTES]
    with tempfile.NamedTemporaryFile(prefix="muster-bench-") as file:
        took, cpu = drained(words, environment(), file.name)
        return took, cpu, checked(here, file.name)


def measure(here, say):
    if not here.torch:
        return "output: no torch 2.15 here, so there is nothing to compare with"
    rounds = here.rounds or 3
    with muster_of(here) as muster:
        muster.run(1, "/bin/true")
        found = in_turns(rounds, {"muster": lambda: by_muster(here, muster), "torchrun": lambda: by_torchrun(here)}, say)
    middle = {side: [median([each[i] for each in times]) for i in (0, 1)] for side, times in found.items()}
    amount = RANKS * MEGABYTES
    rows = [Row("command to exit", middle["muster"][0], middle["torchrun"][0], duration, 0.12, True),
            Row("CPU, that of the ranks included", middle["muster"][1], middle["torchrun"][1], duration, 0.1, True),
            Row("megabytes a second", amount / middle["muster"][0], amount / middle["torchrun"][0], rate("MB/s"))]
    lines = [f"  {side}'s lines: {'; '.join(sorted({each[2] for each in times}))}" for side, times in found.items()]
    return Table(f"output: {RANKS} ranks × {MEGABYTES} MB in lines of 100 bytes, followed to a pipe; medians of {rounds}\n"
                 "  rival: torchrun --tee 3", rows, tuple(lines))
