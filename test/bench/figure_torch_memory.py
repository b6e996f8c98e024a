# SPDX-License-Identifier: Apache-2.0
"""torch_memory: memory of four idle torch ranks and of all processes that run for them."""

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

from sides import PATIENCE, Failed, environment, in_turns, median, report_folder
from table import Row, Table, size
from torch_sides import muster_words, new_state, torchrun_words

sys.path.append(str(Path(__file__).parents[1] / "e2e"))
from processes import alive, memory_kib, tree  # noqa: E402
from waiting import wait_for  # noqa: E402

RANKS = 4
TARGET = 0.22


def taken(words, env):
    with report_folder() as folder:
        process = subprocess.Popen([str(word) for word in (*words, folder, "idle")], env=env, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait_for(lambda: all((folder / f"0-{rank}").exists() for rank in range(RANKS)), "ranks to meet", PATIENCE)
            pids = tree(process.pid)
            if len(pids) <= RANKS:
                raise Failed(f"{words[0]} has {len(pids)} processes below it")
            return sum(memory_kib(pid, "Pss") for pid in pids) << 10
        finally:
            pids = tree(process.pid)
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(10)
            for pid in filter(alive, pids):
                os.kill(pid, signal.SIGKILL)
            process.wait()


def by_muster(here):
    with new_state(here) as env:
        return taken(muster_words(here, RANKS), env)


def measure(here, say):
    if not here.torch:
        return "torch_memory: no torch 2.15 here, so there is nothing to hold"
    rounds = here.rounds or 3
    sides = {"muster": lambda: by_muster(here), "torchrun": lambda: taken(torchrun_words(here, RANKS), environment())}
    results = in_turns(rounds, sides, say)
    row = Row(f"{RANKS} idle ranks and what runs them", median(results["muster"]), median(results["torchrun"]), size, TARGET, True)
    return Table(f"torch_memory: proportional set size of the command and all below it; medians of {rounds}\n"
                 "  rival: torchrun --standalone of the same torch", [row])
