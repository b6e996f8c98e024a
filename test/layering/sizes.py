# SPDX-License-Identifier: Apache-2.0
"""How long a function and a file may be; reminders and places that do not belong in a tree."""

import os
import re
import shutil
import subprocess

from tree import Problem

LONGEST_FUNCTION = 70
LONGEST_FILE = 400
# Written in two parts, so that this file does not trip over itself.
REMINDERS = r"\b(?:" + "|".join(("TO" + "DO", "FIX" + "ME", "X" + "XX", "HA" + "CK")) + r")\b"
PLACES = r"(?<![\w.$}*~-])/(?:wo" + r"rk|ro" + r"ot/\.pyenv)/"


def functions(root, paths):
    """(path, name, first line, last line) of every C++ and Python function, by universal-ctags."""
    ctags = shutil.which("ctags")
    if not ctags:
        raise RuntimeError("ctags is missing: apt-get install universal-ctags")
    command = [ctags, "--options=NONE", "-f", "-", "--sort=no", "--fields=+neK", "--languages=C++,Python", "--map-C++=+.h",
               "--kinds-C++=f", "--kinds-Python=fm", "-L", "-"]
    done = subprocess.run(command, cwd=root, input="\n".join(paths), capture_output=True, text=True, check=True)
    for row in done.stdout.splitlines():
        first, last = re.search(r"\tline:(\d+)", row), re.search(r"\tend:(\d+)", row)
        if first and last:
            name, path = row.split("\t")[:2]
            yield path, name, int(first.group(1)), int(last.group(1))


def check_functions(root, files):
    paths = [file.path for file in files if file.is_cpp or file.path.endswith(".py")]
    if not paths:
        return
    for path, name, first, last in functions(root, paths):
        if last - first + 1 > LONGEST_FUNCTION:
            yield Problem(path, first, "length",
                          f"{name} has {last - first + 1} lines, {LONGEST_FUNCTION} at most: pull loops and branches' bodies out")


def check_files(files):
    for file in files:
        count = file.text.count("\n")
        if file.is_source and count > LONGEST_FILE:
            yield Problem(file.path, count, "length", f"{count} lines, {LONGEST_FILE} at most: split it by what changes together")


def check_words(files):
    for file in files:
        for number, line in enumerate(file.lines, 1):
            if re.search(REMINDERS, line):
                yield Problem(file.path, number, "reminder", "do it, or open an issue; reminders in code are forgotten")
            if re.search(PLACES, line):
                yield Problem(file.path, number, "place", "a path of one machine: make it relative to the project or an argument")


def check(root, files):
    yield from check_functions(os.fspath(root), files)
    yield from check_files(files)
    yield from check_words(files)
