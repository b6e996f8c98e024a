# SPDX-License-Identifier: Apache-2.0
"""Runs stories on all cores for MINUTES and adds up the results: `swarm.py PROGRAM [--first SEED] MINUTES`. See scripts/swarm."""

import collections
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
KEPT = ROOT / "test" / "swarm" / "regressions.txt"
LAST = 2**63


def commit():
    done = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"], capture_output=True, text=True)
    return done.stdout.strip() or "unknown"


def resident(share):
    """Resident memory of a running process in MiB; 0: it has ended."""
    try:
        pages = int(pathlib.Path(f"/proc/{share.pid}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def play(program, first, seconds):
    """(the reports of all cores as text, [MiB of the first core's process, minute by minute])"""
    cores = os.cpu_count() or 1
    shares = [subprocess.Popen([program, "--seeds", f"{first + core}..{LAST}", "--step", str(cores), "--seconds", str(seconds),
                                "--twice", "--report"], stdout=subprocess.PIPE, text=True) for core in range(cores)]
    memory = []
    with concurrent.futures.ThreadPoolExecutor() as pool:
        reports = [pool.submit(share.communicate) for share in shares]
        while concurrent.futures.wait(reports, timeout=60).not_done:
            memory.append(resident(shares[0]))
    return [report.result()[0] for report in reports], [mib for mib in memory if mib]


def add_up(reports):
    """({(what, name): sum}, [(seed, [breach])])"""
    sums, failures = collections.Counter(), []
    for line in "\n".join(reports).splitlines():
        if line.startswith("failed "):
            failures.append((line.split()[1], []))
        elif line.startswith("  breach "):
            failures[-1][1].append(line.removeprefix("  breach "))
        elif "\t" in line:
            *name, count = line.split("\t")
            sums[tuple(name)] += int(count)
    return sums, failures


def print_table(title, rows):
    print(f"\n{title}")
    for name, count in rows:
        print(f"  {count:>12,}  {name}")


def keep(failures, at):
    known = {line.split()[0] for line in KEPT.read_text().splitlines() if line[:1].isdigit()}
    with KEPT.open("a") as file:
        for seed, breaches in failures:
            if seed not in known:
                file.write(f"{seed} at {at}: {breaches[0] if breaches else 'the story did not end'}\n")


def main(arguments):
    program = arguments[0]
    first = int(arguments[2]) if arguments[1] == "--first" else int(time.time()) * 1000
    minutes = float(arguments[-1])
    at = commit()
    print(f"running stories from seed {first} at commit {at} for {minutes:g} min on {os.cpu_count()} cores", flush=True)
    reports, memory = play(program, first, minutes * 60)
    sums, failures = add_up(reports)
    stories, hours = sums[("stories",)], sums[("host-seconds",)] / 3600
    print(f"\n{stories:,} stories, each twice, {hours:,.0f} hours of simulated hosts ({hours / (minutes / 60):,.0f} per hour), "
          f"{sums[('ranks',)]:,} ranks started")
    print(f"{sums[('events',)]:,} events, {2 * sums[('events',)] / sums[('cpu-seconds',)]:,.0f} per second of CPU time")
    if memory:
        print(f"memory of one process: {memory[0]:.1f} MiB after a minute, {memory[-1]:.1f} MiB at the end, {max(memory):.1f} MiB at most")
    for what, title in (("end", "jobs ended"), ("fault", "faults that had an effect")):
        print_table(title, sorted(((name[1], n) for name, n in sums.items() if name[0] == what), key=lambda row: -row[1]))
    pairs = {name[1]: n for name, n in sums.items() if name[0] == "pair"}
    met = sum(1 for n in pairs.values() if n)
    print(f"\n{met} of {len(pairs)} pairs of state and event occurred; test/swarm/uncovered.txt explains why the others do not")
    for seed, breaches in failures:
        print(f"\nseed {seed} failed at commit {at}. To trace it: scripts/swarm --seed {seed} --trace; to reduce it: --shrink")
        for breach in breaches:
            print(f"  {breach}")
    keep(failures, at)
    print(f"\n{len(failures)} of {stories:,} stories failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
