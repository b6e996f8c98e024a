# SPDX-License-Identifier: Apache-2.0
"""Runs clang-tidy on the layers below the adapters, each file as one test: `tidy.py REPORT.xml [FILE…]`.

Those layers need only the standard library and this tree, so the flags do not come from a build folder. The checks are in .clang-tidy.
"""

import concurrent.futures
import os
import pathlib
import subprocess
import sys

import junit

ROOT = pathlib.Path(__file__).resolve().parents[1]
LAYERS = ("base", "rank", "job", "framework", "machine", "port", "journal", "attempt", "output", "agent", "coordinator", "controller")
FLAGS = ["-std=c++20", "-I.", "-Wno-unknown-warning-option", '-DMUSTER_SOURCE_DIR="."', '-DMUSTER_BINARY_DIR="."']


def files():
    found = [path for layer in LAYERS for path in (ROOT / "core" / layer).rglob("*.cc")]
    return sorted(str(path.relative_to(ROOT)) for path in found)


def check(path):
    """Returns (path, findings of clang-tidy)."""
    command = ["clang-tidy-14", "--quiet", path, "--", *FLAGS]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return path, done.stdout.strip() or (done.stderr.strip() if done.returncode else "")


def main(arguments):
    report, paths = arguments[0], arguments[1:] or files()
    cases = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, found in pool.map(check, paths):
            if found:
                print(found, flush=True)
            cases.append((path, found.splitlines()[0] if found else None))
    junit.write(report, "tidy", cases)


if __name__ == "__main__":
    main(sys.argv[1:])
