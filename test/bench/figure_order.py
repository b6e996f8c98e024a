# SPDX-License-Identifier: Apache-2.0
"""order: one rank that writes lines to stdout and stderr in turn, followed into one pipe: what the order of both streams costs."""

import contextlib
import os
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
    """Runs the command with stdout and stderr in one pipe. Returns (seconds, CPU seconds, the lines of the rank)."""
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
    words_of = (line.rpartition(b"]:")[2].removeprefix(b"[0] ").split() for line in text.splitlines())
    lines = [(word[0], int(word[1])) for word in words_of if len(word) == 3 and word[0] in (b"out", b"err")]
    if len(lines) != 2 * LINES:
        raise Failed(f"{words[0]} printed {len(lines)} of {2 * LINES} lines")
    return took, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, lines


def furthest(lines):
    """By how many lines a line is away from its place, at most."""
    return max(abs(place - (2 * number + (stream == b"err"))) for place, (stream, number) in enumerate(lines))


def by_muster(here, muster, script):
    muster.run(1, "/bin/true")  # an idle controller may have ended
    controller = muster.controller()
    before = cpu_with_children(controller)
    took, cpu, lines = followed([here.muster, "run", "-q", "--", "python3", "-c", script], muster.env)
    run([here.muster, "rm", "--idle"], muster.env)  # an agent's time becomes its controller's when it has ended
    wait_for(lambda: len(tree(controller)) == 1, "the agents' end")
    cpu += cpu_with_children(controller) - before
    with contextlib.suppress(Failed):
        run([here.muster, "rm", "--all"], muster.env)
    return took, cpu, furthest(lines)


def by_torchrun(here, folder):
    program = Path(folder) / "turns.py"
    program.write_text(TURNS)
    words = [here.torch, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", 1, "--tee", "3", program]
    took, cpu, lines = followed(words, environment())
    return took, cpu, furthest(lines)


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
    lines = [f"  furthest line from its place: {side} {median([each[2] for each in found[side]])}" for side in found if side != "alone"]
    if here.torch:
        rows.append(Row("command to exit, beside torchrun --tee 3", middle["muster"][0], middle["torchrun"][0], duration))
    return Table(f"order: {LINES} lines of 92 bytes to each stream in turn, into one pipe; medians of {rounds}\n"
                 "  rival: the same lines, all to stdout", rows, tuple(lines))
