# SPDX-License-Identifier: Apache-2.0
"""recovery: ranks without a framework. One of 8 is killed: time until all 8 of the next attempt run. One is stopped: time until muster
reports it."""

import json
import os
import signal
import time

from attempts import new_attempt
from sides import Failed, in_turns, median, muster_of, report_folder, run
from table import Row, Table, duration
from waiting import wait_for

RANKS, KILLS = 8, 20
BLINK = 0.020   # seconds; the other ranks end on SIGTERM, so no grace is used
BEATS = 2.0     # two heartbeats


def submitted(here, muster, folder, *flags):
    words = [here.muster, "submit", "-q", "-n", RANKS, *flags, "--", here.programs / "waits", folder]
    return run(words, muster.env).strip()


def ended(here, muster, name):
    run([here.muster, "kill", name], muster.env)
    run([here.muster, "rm", name], muster.env)


def killed(here, muster):
    """[seconds from a kill until the last rank of the next attempt runs]"""
    flags = ("--restarts", 99, "--set", "restarts.backoff={first: 0s, then: 0s..0s}")
    with report_folder() as folder:
        name, took = submitted(here, muster, folder, *flags), []
        found = new_attempt(folder, RANKS, 0)
        for _ in range(KILLS):
            attempt, reports = found or (None, None)
            if attempt is None:
                raise Failed("no new attempt")
            began = time.monotonic_ns()
            os.kill(reports[-1].calls["pid"][0], signal.SIGKILL)
            found = new_attempt(folder, RANKS, attempt + 1)
            took.append((max(report.passed for report in found[1]) - began) / 1e9)
        ended(here, muster, name)
        return took


def told(here, muster, name):
    return json.loads(run([here.muster, "describe", name, "-o", "json"], muster.env)).get("hang", {}).get("sentence", "")


def stopped(here, muster):
    """Seconds from SIGSTOP until `describe` names the rank."""
    with report_folder() as folder:
        name = submitted(here, muster, folder)
        _, reports = new_attempt(folder, RANKS, 0)
        pid = reports[-1].calls["pid"][0]
        began = time.monotonic()
        os.kill(pid, signal.SIGSTOP)
        sentence = wait_for(lambda: told(here, muster, name), "the verdict", 30)
        took = time.monotonic() - began
        if f"rank {RANKS - 1}" not in sentence:
            raise Failed(f"the verdict names another: {sentence}")
        os.kill(pid, signal.SIGCONT)
        ended(here, muster, name)
        return took


def measure(here, say):
    rounds = here.rounds or 10
    with muster_of(here) as muster:
        sides = {"killed": lambda: killed(here, muster), "stopped": lambda: stopped(here, muster)}
        found = in_turns(rounds, sides, say)
    blinks = [each for times in found["killed"] for each in times]
    rows = [Row(f"SIGKILL → all {RANKS} of the next attempt run", median(blinks), None, duration, BLINK, True, "itself"),
            Row("SIGSTOP → told, with rank and stack", median(found["stopped"]), None, duration, BEATS, True, "itself")]
    return Table(f"recovery: {RANKS} plain ranks; medians of {len(blinks)} kills and {rounds} stops", rows,
                 (f"  kills: {duration(min(blinks))} to {duration(max(blinks))}",))
