# SPDX-License-Identifier: Apache-2.0
"""all_reduce: 2 ranks, float32, in place: libmuster's communicator, Gloo alone, torch.distributed's gloo."""

import contextlib
import subprocess

from sides import (PATIENCE, Failed, environment, in_turns, median, muster_of, per_second, percentile, report_folder,
                   reports_in)
from table import Row, Table, duration, rate

SIZES = {"4B": 4, "1MiB": 2**20, "64MiB": 2**26}


def ours(here, muster):
    with report_folder() as folder:
        muster.run(2, here.programs / "all_reduce_muster", folder)
        return reports_in(folder, 2)


def pair(*words):
    """Two processes; their last argument differs."""
    with report_folder() as folder, contextlib.ExitStack() as stack:
        started = [subprocess.Popen([*map(str, words), str(folder), str(rank)], env=environment(), text=True,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT) for rank in range(2)]
        for process in started:
            stack.callback(process.kill)
        for process in started:
            said = process.communicate(timeout=PATIENCE)[0]
            if process.returncode != 0:
                raise Failed(f"{words[-1]} ended with {process.returncode}:\n{said[-2000:]}")
        return reports_in(folder, 2)


def rows(results):
    def calls(side, name, choose=median):  # calls of one rank: both ranks do every call
        return choose([per_second(reports[:1], name) for reports in results[side]])

    def p50(side, name):
        return median([percentile(reports, name, 0.5) for reports in results[side]])
    for rival, target in (("Gloo", 0.95), ("torch", None)):
        if rival not in results:
            continue
        for name, size in SIZES.items():
            unit = rate("/s") if size < 2**20 else rate("MB/s")
            factor = 1 if size < 2**20 else size / 1e6
            yield Row(f"{rival}: {name}", calls("ours", name) * factor, calls(rival, name) * factor, unit, target)
            yield Row(f"{rival}: {name}, each side's best round", calls("ours", name, max) * factor,
                      calls(rival, name, max) * factor, unit)
        for name in SIZES:
            yield Row(f"{rival}: {name} p50", p50("ours", name), p50(rival, name), duration)


def measure(here, say):
    rounds = here.rounds or 20
    with muster_of(here) as muster:
        sides = {"ours": lambda: ours(here, muster), "Gloo": lambda: pair(here.programs / "all_reduce_gloo")}
        if here.torch:
            sides["torch"] = lambda: pair(here.torch, here.root / "test/bench/all_reduce_torch.py")
        results = in_turns(rounds, sides, say)
    return Table(f"all_reduce: 2 ranks, float32, in place, loopback; medians of {rounds}\n"
                 "  rivals: Gloo by itself; torch.distributed 2.15 (gloo, called from Python)", rows(results))
