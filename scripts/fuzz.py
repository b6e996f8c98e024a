# SPDX-License-Identifier: Apache-2.0
"""Runs the fuzzers of build/fuzz for SECONDS each (20), each as one test: `fuzz.py REPORT.xml [SECONDS]`.

The corpus is kept in the user's cache folder, so that the next run continues from it. An input that causes a failure is kept in
build/fuzz, and the end of the fuzzer's output is printed.
"""

import concurrent.futures
import os
import pathlib
import subprocess
import sys

import junit

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "fuzz"
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "muster-fuzz"
LIMITS = ["-max_len=65536", "-timeout=10", "-rss_limit_mb=2048", "-print_final_stats=1"]


def fuzzers():
    return sorted(path for path in BUILD.rglob("*_fuzz") if path.is_file())


def fuzz(path, seconds):
    """Returns (path, number of runs, end of the output if it failed or None)."""
    corpus = CACHE / path.name
    corpus.mkdir(parents=True, exist_ok=True)
    prefix = f"-artifact_prefix={BUILD}/{path.name}-"
    command = [str(path), *LIMITS, prefix, f"-max_total_time={seconds}", str(corpus)]
    done = subprocess.run(command, cwd=BUILD, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL)
    runs = [line.split()[-1] for line in done.stderr.splitlines() if "number_of_executed_units" in line]
    return path, runs[0] if runs else "?", done.stderr[-4000:] if done.returncode else None


def main(arguments):
    report, seconds = arguments[0], int(arguments[1]) if len(arguments) > 1 else 20
    cases = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, runs, wrong in pool.map(lambda each: fuzz(each, seconds), fuzzers()):
            print(f"  {path.name:<22} {runs:>10} inputs in {seconds} s  {'failed' if wrong else 'ok'}", flush=True)
            if wrong:
                print(wrong, flush=True)
            cases.append((path.name, wrong.strip().splitlines()[-1] if wrong else None))
    junit.write(report, "fuzz", cases)


if __name__ == "__main__":
    main(sys.argv[1:])
