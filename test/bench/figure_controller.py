# SPDX-License-Identifier: Apache-2.0
"""controller: resources of muster while a job of eight ranks sleeps, compared with torchrun's agent."""

import contextlib
import subprocess
import sys
import time
from pathlib import Path

from sides import Failed, environment, muster_of, pass_time, run
from table import Row, Table, share, size

sys.path.append(str(Path(__file__).parents[1] / "e2e"))
from processes import memory_kib, tree, words_of  # noqa: E402
from waiting import wait_for  # noqa: E402

RANKS = 8
SETTLE, LOOK = 3, 20   # seconds: for the start, and for observing idle processes
OTHERS = 34 * 2**20    # a Rust controller with its agent, as published


def cpu_seconds(pids):
    """From the scheduler's clock: ticks of 10 ms are as long as the measured times."""
    spent = 0
    for pid in pids:
        for thread in Path(f"/proc/{pid}/task").glob("*/schedstat"):
            with contextlib.suppress(OSError):
                spent += int(thread.read_text().split()[0])
    return spent / 1e9


def looked_at(pids):
    """(bytes by Pss, CPU seconds per second)"""
    pass_time(SETTLE)
    began, before = time.monotonic(), cpu_seconds(pids)
    pass_time(LOOK)
    idle = (cpu_seconds(pids) - before) / (time.monotonic() - began)
    return sum(memory_kib(pid, "Pss") for pid in pids) << 10, idle


def is_rank(pid):
    return "sleep" in words_of(pid, "cmdline")[:1]


def by_muster(here):
    with muster_of(here) as muster:
        name = run([here.muster, "submit", "-q", "-n", RANKS, "--", "sleep", "600"], muster.env).strip()
        controller = muster.controller()
        pids = [pid for pid in tree(controller) if not is_rank(pid)]
        try:
            if len(pids) < 3:
                raise Failed("there is no controller with an agent and its guardian")
            return looked_at(pids)
        finally:
            run([here.muster, "kill", name], muster.env)


def by_torchrun(here):
    words = [here.torch, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(RANKS), "--no-python", "sleep", "600"]
    process = subprocess.Popen(words, env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(lambda: sum(map(is_rank, tree(process.pid))) == RANKS, "torchrun's ranks", 120)
        return looked_at([pid for pid in tree(process.pid) if not is_rank(pid)])
    finally:
        process.terminate()
        process.wait()


def measure(here, say):
    say("muster's")
    ours, idle = by_muster(here)
    rows = [Row("memory, against what a Rust controller and its agent took elsewhere", ours, OTHERS, size, 1.0, True),
            Row("CPU of one core while all ranks sleep", idle, None, share, 0.001, True, "itself")]
    if here.torch:
        say("torchrun's")
        theirs, busy = by_torchrun(here)
        rows[:0] = [Row("memory, against torchrun's agent", ours, theirs, size, 0.03, True)]
        rows += [Row("the same, torchrun", busy, None, share, None, True, "itself")]
    return Table(f"controller: controller, agent and guardian of {RANKS} sleeping ranks, proportional set size; {LOOK} s", rows)
