# SPDX-License-Identifier: Apache-2.0
"""What code below the adapters may not call, and what no test may do."""

import re

from tree import Problem

BELOW_ADAPTERS = tuple(f"core/{folder}/" for folder in (
    "base", "rank", "job", "framework", "machine", "port", "journal", "attempt", "output", "agent", "coordinator", "controller"))
ADAPTERS = ("core/system/", "core/wire/", "core/node/", "backends/ssh/session/", "backends/kubernetes/cluster/")
WAIT_HELPERS = ("test/e2e/waiting.py",)  # the one place where a Python test may sleep, in a loop with a deadline

CALL = r"(?<![\w.>:])(?:std::|::)?"
SLEEP = r"\bsleep_(?:for|until)\b|" + CALL + r"(?:sleep|usleep|nanosleep|clock_nanosleep)\s*\("

# (pattern, use this instead)
BELOW = [
    (r"\b(?:system_clock|steady_clock|high_resolution_clock|utc_clock)\b"
     r"|" + CALL + r"(?:clock_gettime|gettimeofday|timespec_get|localtime|localtime_r)\s*\("
     r"|\btime\s*\(\s*(?:nullptr|NULL|0)\s*\)",
     "no clock below the adapters: take `now` as an argument, or Loop::now() (core/port/loop.h)"),
    (SLEEP, "no sleep below the adapters: set a timer, Loop::at (core/port/loop.h) or an arm-timer action"),
    (r"\bstd::(?:jthread|thread|async|future|promise|condition_variable\w*|latch|barrier|counting_semaphore|binary_semaphore)\b"
     r"|\bpthread_\w+\s*\(",
     "no threads below the adapters: one loop owns the process; Loop::post (core/port/loop.h)"),
    (CALL + r"(?:rand|srand|rand_r|drand48|getrandom|getentropy)\s*\(|\b(?:random_device|mt19937(?:_64)?|default_random_engine)\b",
     "no randomness below the adapters: a Random (core/base/random.h) in the state, seeded by the launcher"),
    (CALL + r"(?:fork|vfork|execv|execve|execvp|execvpe|execl|execlp|execle|system|popen|posix_spawnp?)\s*\(",
     "no processes below the adapters: ProcessHost (core/port/process_host.h)"),
]
# Tests may: a flag of theirs rewrites golden files.
ENVIRONMENT = (CALL + r"(?:getenv|secure_getenv|setenv|unsetenv|putenv)\s*\(|\benviron\b",
               "no environment below the adapters: take the values as arguments; the launcher reads them")
MUTEX = r"\bstd::(?:recursive_|timed_|shared_)?mutex\b"


def found_in(lines, pattern):
    compiled = re.compile(pattern)
    return [number for number, line in enumerate(lines, 1) if compiled.search(line)]


def check_below(file):
    for pattern, instead in BELOW if file.is_test else [*BELOW, ENVIRONMENT]:
        for line in found_in(file.code_lines, pattern):
            yield Problem(file.path, line, "ban", instead)


def check_mutex(file):
    """A mutex needs `// mutex: REASON` on its line or on one of the three above."""
    for line in found_in(file.code_lines, MUTEX):
        near = file.lines[max(0, line - 4):line]
        if not any(re.search(r"//.*\bmutex:\s*\w", text) for text in near):
            yield Problem(file.path, line, "mutex",
                          "post to the loop instead; if it must be, write the reason above it: `// mutex: …`")


def check_sleep_in_test(file):
    if file.is_cpp:
        for line in found_in(file.code_lines, SLEEP):
            yield Problem(file.path, line, "sleep", "no sleep in tests: wait for what should happen, or move the fake clock")
    elif file.is_python and file.path not in WAIT_HELPERS:
        for line in found_in(file.lines, r"^(?!\s*#).*(?:\btime\.sleep\b|from time import .*\bsleep\b|\basyncio\.sleep\b)"):
            yield Problem(file.path, line, "sleep", f"no sleep in tests: wait for what should happen, {WAIT_HELPERS[0]}")


def check(files):
    for file in files:
        if file.is_cpp and file.path.startswith(BELOW_ADAPTERS):
            yield from check_below(file)
        if file.is_cpp and not file.path.startswith(ADAPTERS):
            yield from check_mutex(file)
        if file.is_test and not file.path.startswith("test/layering/") and not file.path.startswith(BELOW_ADAPTERS):
            yield from check_sleep_in_test(file)
