# SPDX-License-Identifier: Apache-2.0
"""xgboost_launch: 4 ranks of XGBoost, from the command until the model is trained and all has ended."""

import re
import time

from sides import Failed, environment, in_turns, median, muster_of, run
from table import Row, Table, duration

RANKS = 4


def seconds(launch):
    begun = time.monotonic()
    said = launch()
    if not re.search(r"right (0\.9|1\.0)", said):
        raise Failed(f"the training printed: {said[-500:]}")
    return time.monotonic() - begun


def measure(here, say):
    python, script = here.frameworks.get("xgboost"), here.root / "test/bench/xgboost_train.py"
    if not python:
        return "xgboost_launch: no XGBoost here, so there is nothing to launch"
    rounds = here.rounds or 5
    with muster_of(here) as user:
        def alone():
            return run([here.muster, "run", "-q", "--standalone", "-n", RANKS, "--", python, script], environment())
        sides = {"muster": lambda: seconds(alone), "multiprocessing": lambda: seconds(lambda: run([python, script, RANKS], environment())),
                 "muster, warm agent": lambda: seconds(lambda: user.run(RANKS, python, script))}
        in_turns(1, sides, lambda text: say("once unmeasured"))
        found = {side: median(times) for side, times in in_turns(rounds, sides, say).items()}
    theirs = found["multiprocessing"]
    return Table(f"xgboost_launch: {RANKS} ranks, 20 rounds on scikit-learn's digits, from the command to its end; medians of {rounds}\n"
                 "  rival: XGBoost's RabitTracker and multiprocessing, in one script",
                 [Row("command ended", found["muster"], theirs, duration, 1.0, True),
                  Row("command ended, a warm agent waits", found["muster, warm agent"], theirs, duration, 1.0, True)])
