# SPDX-License-Identifier: Apache-2.0
"""SECURITY.md names a test for each of its promises: each of these tests exists."""

import re

from tree import Problem

PAGE = "SECURITY.md"
NAMED = re.compile(r"`(test_\w+|[A-Z]\w+\.\w+)`")
CPP_TEST = re.compile(r"^TEST(?:_F|_P)?\((\w+), (\w+)\)", re.MULTILINE)
PYTHON_TEST = re.compile(r"^def (test_\w+)\(", re.MULTILINE)


def tests_in(files):
    found = set()
    for file in files:
        if file.is_cpp:
            found.update(".".join(name) for name in CPP_TEST.findall(file.text))
        elif file.path.startswith("test/") and file.path.endswith(".py"):
            found.update(PYTHON_TEST.findall(file.text))
    return found


def check(files):
    page = next((file for file in files if file.path == PAGE), None)
    if page is None:
        return
    known = tests_in(files)
    for number, line in enumerate(page.lines, 1):
        for name in NAMED.findall(line):
            if name not in known:
                yield Problem(page.path, number, "test", f"there is no test {name}")
