# SPDX-License-Identifier: Apache-2.0
"""torch_restart: a rank is killed; time until all ranks of a new attempt have passed the first collective, or step."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from attempts import HANGS, new_attempt
from sides import Failed, environment, in_turns, median, report_folder
from table import Row, Table, duration
from torch_sides import AT_ONCE, GOOD_MODE, PROGRAM, STEPS, drop_in_words, muster_words, new_state, torchrun_words

sys.path.append(str(Path(__file__).parents[1] / "e2e"))
from processes import all_pids, alive, words_of  # noqa: E402
from waiting import wait_for  # noqa: E402

KILLS = 6


@dataclass(frozen=True)
class Gang:
    what: str
    ranks: int
    program: Path
    warm: float             # muster's target with default settings
    executed: float | None  # and without warm parents


GANGS = (Gang("first collective", 2, PROGRAM, 0.05, 0.95), Gang("first collective", 4, PROGRAM, 0.03, 0.95),
         Gang("first collective", 8, PROGRAM, 0.03, None), Gang("first step of DDP", 2, STEPS, 0.04, None))


def kill_one_by_one(folder, ranks):
    """[seconds of each restart], number of attempts without result, and whether there was no recovery after the last kill."""
    took, lost, found = [], 0, new_attempt(folder, ranks, 0)
    if found is None:
        raise Failed("no first attempt")
    for _ in range(KILLS):
        attempt, reports = found
        killed = time.monotonic_ns()
        os.kill(reports[-1].calls["pid"][0], signal.SIGKILL)
        found = new_attempt(folder, ranks, attempt + 1)
        if found is None:
            return took, lost, True
        took.append((max(report.passed for report in found[1]) - killed) / 1e9)
        lost += found[0] - attempt - 1
    return took, lost, False


def end(process, mark):
    """Ends the command, and the ranks that it may leave, which are found by a variable in their environment."""
    process.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(10)
    process.kill()
    process.wait()
    left = [pid for pid in all_pids() if mark in words_of(pid, "environ")]
    for pid in left:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    wait_for(lambda: not any(alive(pid) for pid in left), "ranks to be gone")


def restarted(words, ranks, env):
    with report_folder() as folder:
        command = [str(word) for word in (*words, folder, "forever")]
        process = subprocess.Popen(command, env=env | {"MUSTER_BENCH_FOLDER": str(folder)}, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            return kill_one_by_one(folder, ranks)
        finally:
            end(process, f"MUSTER_BENCH_FOLDER={folder}")


def by_muster(here, gang):
    """muster torchrun, with the command line of torchrun."""
    with new_state(here) as env:
        env |= {"PYTHON_EXEC": str(here.torch)}
        return restarted(drop_in_words(here, gang.ranks, "--max-restarts", 99, program=gang.program), gang.ranks, env)


def by_muster_executed(here, gang):
    with new_state(here) as env:
        return restarted(muster_words(here, gang.ranks, *AT_ONCE, "--set", "warm=off"), gang.ranks, env)


def by_torchrun(here, gang, mode):
    return restarted(torchrun_words(here, gang.ranks, "--max-restarts", 99, program=gang.program), gang.ranks, environment(**mode))


def told(gang, side, results):
    took, hung = [time for times, _, _ in results for time in times], sum(hung for _, _, hung in results)
    parts = [f"{len(took)} restarts", f"{sum(lost for _, lost, _ in results)} attempts lost"]
    parts += [f"{duration(min(took))} to {duration(max(took))}"] if took else []
    parts += [f"hung in {hung} of {len(results)} jobs ({HANGS} s without a new attempt)"] if hung else []
    return f"  {gang.what}, {gang.ranks} ranks, {side}: {', '.join(parts)}"


def sides_of(here, gang):
    sides = {"muster": lambda: by_muster(here, gang), "torchrun, good mode": lambda: by_torchrun(here, gang, GOOD_MODE)}
    if gang.executed:
        sides["muster, executed"] = lambda: by_muster_executed(here, gang)
        sides["torchrun, as it comes"] = lambda: by_torchrun(here, gang, {})
    return sides


def measure(here, say):
    if not here.torch:
        return "torch_restart: no torch 2.15 here, so there is nothing to restart"
    rounds, rows, lines = here.rounds or 2, [], []
    for gang in GANGS:
        what = f"{gang.what}, {gang.ranks} ranks"
        results = in_turns(rounds, sides_of(here, gang), lambda text, what=what: say(f"{what}, {text}"))
        middle = {side: median([time for times, _, _ in found for time in times] or [float(HANGS)]) for side, found in results.items()}
        rival = middle["torchrun, good mode"]
        rows.append(Row(what, middle["muster"], rival, duration, gang.warm, True))
        if gang.executed:
            rows.append(Row(what + ", warm: off", middle["muster, executed"], rival, duration, gang.executed, True))
        lines += [told(gang, side, found) for side, found in results.items()]
    title = (f"torch_restart: one rank killed → all past the first again; medians of {rounds} jobs with up to {KILLS} kills\n"
             "  muster torchrun, against torchrun with TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1")
    return Table(title, rows, tuple(lines))
