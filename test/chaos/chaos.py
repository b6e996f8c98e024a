# SPDX-License-Identifier: Apache-2.0
"""Plays rounds of random jobs under random faults until the time is over: see scripts/chaos.

A round is ten jobs, four at a time, in a world of their own. At its end the controller may be killed once more; then everything that
muster says and left is compared with the records of the ranks.
"""

import argparse
import collections
import concurrent.futures
import os
import random
import shutil
import sys
import time
import traceback
from pathlib import Path

BESIDE = Path(__file__).resolve().parent
sys.path[:0] = [str(BESIDE), str(BESIDE.parent / "e2e")]

import comparison  # noqa: E402
import plans  # noqa: E402
import remains  # noqa: E402
from job_run import JobRun  # noqa: E402
from world import World  # noqa: E402

AT_ONCE = 4


class Chaos:
    def __init__(self, options):
        self.options = options
        self.counts = collections.Counter()
        self.faults = collections.Counter()
        self.findings = []  # (round, sentence)

    def around(self, number):
        return plans.Round(self.options.seed, number, self.options.disk is not None, self.options.alone, os.geteuid() == 0)

    def play(self, number):
        """One round. Removes its folder unless something was found."""
        around = self.around(number)
        folder = self.options.folder / f"round-{number}"
        world = World(folder, self.options.disk if around.small_disk else None, self.options.alone)
        before = len(self.findings)
        runs, begin = [], time.monotonic()
        try:
            runs = self.jobs(world, around)
            played = time.monotonic()
            self.findings += [(number, text) for text in self.judge(world, around, runs)]
            print(f"round {number}: played in {played - begin:.1f} s, compared in {time.monotonic() - played:.1f} s, "
                  f"{len(self.findings) - before} findings", flush=True)
            for _, text in self.findings[before:]:
                print(f"  {text}", flush=True)
        except Exception:  # the chaos must say which round it was, and go on
            self.findings.append((number, f"the round was not judged: {traceback.format_exc()}"))
        finally:
            remains.end_processes(world)
        self.count(world, runs)
        if len(self.findings) == before:
            shutil.rmtree(folder, ignore_errors=True)
        if world.disk:
            shutil.rmtree(world.state, ignore_errors=True)

    def jobs(self, world, around):
        runs = [JobRun(world, around.plan(number)) for number in range(plans.JOBS)]
        for run in runs:
            print(plans.line_of(run.plan)[:self.options.width], flush=True)
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(JobRun.run, runs))
        return runs

    def judge(self, world, around, runs):
        strikes = {run: world.strikes_on(run) for run in runs}
        found = [about(run, strikes[run], text) for run in runs for text in comparison.compare(run, strikes[run])]
        if random.Random(f"{around.seed}/{around.number}").random() < 0.5:
            world.muster.kill_controller()
        listed = {job["id"]: job for job in world.muster.ok("ps", "-a", "-o", "json").json()["jobs"]}
        found += [about(run, strikes[run], text) for run in runs if run.job for text in comparison.final(run, listed.get(run.job["id"]))]
        found += remains.secrets(world, runs)
        if found:
            keep(world)
        world.muster("rm", "--all")
        excused = set().union(*(comparison.excused(run, strikes[run]) for run in runs))
        return found + list(remains.everything(world, excused))

    def count(self, world, runs):
        ranks = [each for run in runs for each in run.read() if not each.child]
        self.counts["jobs"] += len(runs)
        self.counts["ranks"] += len(ranks)
        self.counts["restarts"] += sum(max((each.attempt for each in run.read()), default=1) - 1 for run in runs)
        for run in runs:
            self.counts[f"jobs {run.job['state'] if run.job else 'without an end'}"] += 1
        self.faults.update(strike.fault.name for strike in world.strikes)

    def report(self, command):
        print(f"\nseed {self.options.seed}, as {'root' if os.geteuid() == 0 else 'an unprivileged user'}")
        for name, count in [*self.counts.items(), ("faults", sum(self.faults.values()))]:
            print(f"  {count:>8,}  {name}")
        for name, count in self.faults.most_common():
            print(f"    {count:>6,}  {name}")
        print(f"  {len(self.findings):>8,}  findings")
        for number, text in self.findings:
            print(f"\nround {number}: {text}\n  again: {command} --round {number} {self.options.seed}    kept: {self.options.folder}/round-{number}")


def about(run, strikes, text):
    return f"{run.plan['name']} ({run.plan['way']}; {' + '.join(strike.fault.name for strike in strikes) or 'no fault'}): {text}"


def keep(world):
    """Copies the state folder without the output of ranks. It may be on the small disk, and the end of the round removes its jobs."""
    output = shutil.ignore_patterns("*.out", "*.err", "*.times", "*.order", "*.sock")
    shutil.copytree(world.state, world.folder / "kept-state", ignore=output, symlinks=True, dirs_exist_ok=True)


def parse(words):
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, required=True, help="an empty folder for the rounds")
    parser.add_argument("--disk", type=Path, help="a small disk for nothing else")
    parser.add_argument("--alone", action="store_true", help="temporary folder and network are ours alone")
    parser.add_argument("--round", type=int, help="only this round")
    parser.add_argument("--width", type=int, default=400, help="characters of a plan that are printed")
    parser.add_argument("--again", default="scripts/chaos", help="what to type to play a round again")
    parser.add_argument("minutes", type=float)
    parser.add_argument("seed", type=int)
    return parser.parse_args(words)


def main(words):
    options = parse(words)
    chaos = Chaos(options)
    deadline = time.monotonic() + 60 * options.minutes
    number = options.round or 0
    while True:
        chaos.play(number)
        number += 1
        if options.round is not None or time.monotonic() >= deadline:
            break
    chaos.report(options.again)
    return 1 if chaos.findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
