# SPDX-License-Identifier: Apache-2.0
"""order: one rank that writes lines to stdout and stderr in turn, followed into one pipe: what the order of both streams costs."""

import contextlib
import os
import re
import resource
import subprocess
import time
from pathlib import Path

from figure_controller import tree, wait_for
from figure_output import cpu_with_children
from sides import PATIENCE, Failed, environment, in_turns, median, muster_of, run
from table import Row, Table, duration

LINES = 200_000  # of each stream
TURNS = f"import os\nfor i in range({LINES}): os.write(1, b'out %06d %s\\n' % (i, b'x' * 80)); os.write(2, b'err %06d %s\\n' % (i, b'x' * 80))"
ALONE = TURNS.replace("os.write(2", "os.write(1")


def followed(words, env):
    """Runs the command with stdout and stderr in one pipe. Returns (seconds, CPU seconds, the lines of the rank, how many of them were
    cut by a line of the other stream)."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.monotonic()
    with subprocess.Popen([str(word) for word in words], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT) as process:
        text = process.stdout.read()
        status = process.wait(PATIENCE)
    took = time.monotonic() - began
    if status != 0:
        raise Failed(f"{words[0]} ended with {status}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    lines = [(word, int(number)) for word, number in re.findall(rb"(out|err) (\d{6}) ", text)]
    if text.count(b"x") != 2 * LINES * 80:
        raise Failed(f"{words[0]} did not print all {2 * LINES} lines")
    whole = sum(1 for line in text.splitlines() if re.search(rb"(out|err) \d{6} x{80}$", line))
    return took, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, lines, 2 * LINES - whole


def furthest(lines):
    """By how many lines a line is away from its place, at most."""
    return max(abs(place - (2 * number + (stream == b"err"))) for place, (stream, number) in enumerate(lines))


def by_muster(here, muster, script):
    muster.run(1, "/bin/true")  # an idle controller may have ended
    controller = muster.controller()
    before = cpu_with_children(controller)
    took, cpu, lines, cut = followed([here.muster, "run", "-q", "--", "python3", "-c", script], muster.env)
    run([here.muster, "rm", "--idle"], muster.env)  # an agent's time becomes its controller's when it has ended
    wait_for(lambda: len(tree(controller)) == 1, "the agents' end")
    cpu += cpu_with_children(controller) - before
    with contextlib.suppress(Failed):
        run([here.muster, "rm", "--all"], muster.env)
    return took, cpu, furthest(lines), cut


def by_torchrun(here, folder):
    program = Path(folder) / "turns.py"
    program.write_text(TURNS)
    words = [here.torch, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", 1, "--tee", "3", program]
    took, cpu, lines, cut = followed(words, environment())
    return took, cpu, furthest(lines), cut


def measure(here, say):
    rounds = here.rounds or 3
    with muster_of(here) as muster:
        muster.run(1, "/bin/true")
        sides = {"muster": lambda: by_muster(here, muster, TURNS), "alone": lambda: by_muster(here, muster, ALONE)}
        if here.torch:
            sides["torchrun"] = lambda: by_torchrun(here, muster.state)
        found = in_turns(rounds, sides, say)
    middle = {side: [median([each[i] for each in times]) for i in (0, 1)] for side, times in found.items()}
    rows = [Row("command to exit", middle["muster"][0], middle["alone"][0], duration),
            Row("CPU, that of the rank included", middle["muster"][1], middle["alone"][1], duration)]
    lines = [f"  {side}: furthest line from its place {median([each[2] for each in found[side]])}, lines cut by the other stream "
             f"{median([each[3] for each in found[side]])}" for side in found if side != "alone"]
    if here.torch:
        rows.append(Row("command to exit, beside torchrun --tee 3", middle["muster"][0], middle["torchrun"][0], duration))
    return Table(f"order: {LINES} lines of 92 bytes to each stream in turn, into one pipe; medians of {rounds}\n"
                 "  rival: the same lines, all to stdout", rows, tuple(lines))
