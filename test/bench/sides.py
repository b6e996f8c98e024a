# SPDX-License-Identifier: Apache-2.0
"""The sides of a figure: commands that run in turns, and their reports."""

import contextlib
import os
import select
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "e2e"))
from processes import all_pids, command_line, tree, words_of  # noqa: E402
from waiting import wait_for  # noqa: E402

PATIENCE = 300  # seconds for one command


class Failed(Exception):
    """A side that could not be run; the message says which side, and how it ended."""


class Hung(Failed):
    """A side that did not end in time and was killed with all its processes."""


@dataclass(frozen=True)
class Here:
    """Paths. torch: an interpreter with torch 2.15; old_torch: with 1.13; each is "" if there is none."""
    root: Path
    muster: Path
    programs: Path
    example: Path
    torch: str
    old_torch: str
    rounds: int  # 0: the figure's default
    frameworks: dict  # name: an interpreter that has it


def environment(**more):
    """The caller's environment with one thread for each rank, without variables that would make a rank of another job of this process."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("MUSTER_", "OMPI_"))}
    return inherited | {"OMP_NUM_THREADS": "1"} | more


def pass_time(seconds):
    end = time.monotonic() + seconds
    wait_for(lambda: time.monotonic() > end, "time to pass", 2 * seconds)


def kill_all_of(pid):
    for each in tree(pid):
        with contextlib.suppress(ProcessLookupError):
            os.kill(each, signal.SIGKILL)


def run(words, env, patience=PATIENCE, folder=None):
    words = [str(word) for word in words]
    with subprocess.Popen(words, env=env, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            out, err = process.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            kill_all_of(process.pid)
            raise Hung(f"{' '.join(words)} had not ended after {patience} s") from None
    if process.returncode != 0:
        raise Failed(f"{' '.join(words)} ended with {process.returncode}:\n{(err or out)[-2000:]}")
    return out


class Muster:
    """The program with a separate state folder; end() ends its controller."""

    def __init__(self, here):
        self.binary = here.muster
        self.state = tempfile.mkdtemp(prefix="muster-bench-")
        self.env = environment(MUSTER_STATE_DIR=self.state)

    def run(self, ranks, *words, env=None, folder=None):
        return run([self.binary, "run", "-q", "-n", ranks, "--", *words], self.env | (env or {}), folder=folder)

    def controller(self):
        """The pid of its controller; 0: there is none."""
        own = f"MUSTER_STATE_DIR={self.state}"
        serving = (pid for pid in all_pids() if command_line(pid)[1:] == ["serve"] and own in words_of(pid, "environ"))
        return next(serving, 0)

    def stop_controller(self):
        with contextlib.suppress(ProcessLookupError):
            if pid := self.controller():
                handle = os.pidfd_open(pid)
                os.kill(pid, signal.SIGTERM)
                select.select([handle], [], [], 10)
                os.close(handle)

    def end(self):
        self.stop_controller()
        shutil.rmtree(self.state, ignore_errors=True)


@contextlib.contextmanager
def muster_of(here):
    muster = Muster(here)
    try:
        yield muster
    finally:
        muster.end()


@dataclass
class Report:
    """The report of one process, in the format of report.h."""
    passed: int
    loops: dict  # name: (start, end, count)
    calls: dict  # name: [ns]


def read_report(path):
    report = Report(0, {}, {})
    for line in path.read_text().splitlines():
        kind, *words = line.split()
        if kind == "passed":
            report.passed = int(words[0])
        elif kind == "loop":
            report.loops[words[0]] = tuple(map(int, words[1:]))
        else:
            report.calls[words[0]] = list(map(int, words[1:]))
    return report


@contextlib.contextmanager
def report_folder():
    with tempfile.TemporaryDirectory(prefix="muster-bench-") as folder:
        (Path(folder) / "store").mkdir()
        yield Path(folder)


def reports_in(folder, ranks):
    return [read_report(folder / str(rank)) for rank in range(ranks)]


def per_second(reports, name):
    """Operations per second of all processes together, from the first start to the last end."""
    loops = [report.loops[name] for report in reports]
    took = max(loop[1] for loop in loops) - min(loop[0] for loop in loops)
    return sum(loop[2] for loop in loops) / took * 1e9


def percentile(reports, name, share):
    """Over all processes' calls, in seconds."""
    calls = sorted(call for report in reports for call in report.calls[name])
    return calls[min(len(calls) - 1, int(len(calls) * share))] / 1e9


def in_turns(rounds, sides, say):
    """{side: [result of each round]}. Each round starts with another side, so that no side always runs after
    an idle time. `say` is called for each round."""
    names, results = list(sides), {name: [] for name in sides}
    for number in range(rounds):
        say(f"round {number + 1} of {rounds}")
        first = number % len(names)
        for name in names[first:] + names[:first]:
            results[name].append(sides[name]())
    return results


def median(values):
    return statistics.median(values)
