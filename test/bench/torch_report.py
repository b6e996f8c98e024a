# SPDX-License-Identifier: Apache-2.0
"""report.h for sides that are called from Python: plain loops with no other Python code than the call."""

import os
import time


def loop(lines, name, call, count, after=None):
    began = time.monotonic_ns()
    for _ in range(count):
        call()
    if after:
        after()
    lines.append(f"loop {name} {began} {time.monotonic_ns()} {count}")


def calls(lines, name, call, count):
    clock, took = time.monotonic_ns, []
    for _ in range(count):
        began = clock()
        call()
        took.append(clock() - began)
    lines.append(f"calls {name} {' '.join(map(str, took))}")


def write(folder, rank, lines):
    with open(os.path.join(folder, str(rank)), "w") as file:
        file.write("\n".join(lines) + "\n")
