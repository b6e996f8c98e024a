# SPDX-License-Identifier: Apache-2.0
"""many_jobs: duration of commands for a user who has run ten thousand jobs."""

import subprocess
import sys
import time
from pathlib import Path

from sides import Failed, in_turns, median, muster_of, run
from table import Row, Table, duration, size

sys.path.append(str(Path(__file__).parents[1] / "e2e"))
from processes import memory_kib  # noqa: E402

JOBS = 10_000
LIMIT, MEMORY = 0.050, 64 * 2**20


def timed(words, env):
    began = time.monotonic()
    run(words, env)
    return time.monotonic() - began


def wait_until_idle(here, muster):
    run([here.muster, "wait", "@last"], muster.env)


def submitted(here, muster):
    took = timed([here.muster, "submit", "-q", "--", "/bin/true"], muster.env)
    wait_until_idle(here, muster)
    return took


def started(here, muster):
    """A submit that starts the controller."""
    muster.stop_controller()
    return submitted(here, muster)


def measure(here, say):
    rounds = here.rounds or 10
    with muster_of(here) as muster:
        muster.run(1, "/bin/true")
        muster.stop_controller()
        say(f"making {JOBS} jobs")
        made = subprocess.run([here.root / "build/release/muster_many_jobs", muster.state, str(JOBS)], capture_output=True, text=True, check=False)
        if made.returncode != 0:
            raise Failed(made.stderr)
        ps = [here.muster, "ps"]
        sides = {"start": lambda: started(here, muster), "submit": lambda: submitted(here, muster),
                 "ps": lambda: timed(ps, muster.env), "ps -a": lambda: timed([*ps, "-a"], muster.env),
                 "describe": lambda: timed([here.muster, "describe", "@last"], muster.env)}
        took = {name: median(times) for name, times in in_turns(rounds, sides, say).items()}
        held = memory_kib(muster.controller(), "Pss") << 10
    rows = [Row("ps", took["ps"], None, duration, LIMIT, True, "itself"),
            Row("ps -a", took["ps -a"], None, duration, None, True, "itself"),
            Row("describe", took["describe"], None, duration, LIMIT, True, "itself"),
            Row("submit", took["submit"], None, duration, LIMIT, True, "itself"),
            Row("start of the controller: a submit that starts it, beside one that does not", took["start"], took["submit"], duration, LIMIT,
                True, "beyond"),
            Row("memory of the controller", held, None, size, MEMORY, True, "itself")]
    return Table(f"many_jobs: {JOBS:,} ended jobs in the state folder; medians of {rounds}", rows)
