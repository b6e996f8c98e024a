# SPDX-License-Identifier: Apache-2.0
"""How long a function and a file may be; licences; reminders, places and binary files that do not belong in a tree."""

import os
import re
import shutil
import subprocess

from tree import Problem

LONGEST_FUNCTION = 70
LONGEST_FILE = 400
LICENCE = "SPDX-License-Identifier: Apache-2.0"
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
        count = file.text.count("\n") - (LICENCE in file.text[:200])
        if file.is_source and count > LONGEST_FILE:
            yield Problem(file.path, count, "length", f"{count} lines, {LONGEST_FILE} at most: split it by what changes together")


def check_words(files):
    for file in files:
        for number, line in enumerate(file.lines, 1):
            if re.search(REMINDERS, line):
                yield Problem(file.path, number, "reminder", "do it, or open an issue; reminders in code are forgotten")
            if re.search(PLACES, line):
                yield Problem(file.path, number, "place", "a path of one machine: make it relative to the project or an argument")


def check_licences(files):
    for file in files:
        if file.is_source and LICENCE not in "".join(file.lines[:2]):
            yield Problem(file.path, 1, "licence", f"begin with {LICENCE}")


def tracked(root):
    """Paths of the files that git tracks; outside a checkout, of all files."""
    if os.path.exists(os.path.join(root, ".git")):
        done = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=True)
        return [path for path in done.stdout.split("\0") if path]
    return [os.path.relpath(os.path.join(folder, name), root) for folder, _, names in os.walk(root) for name in names]


def check_binaries(root):
    for path in tracked(root):
        place = os.path.join(root, path)
        if os.path.isfile(place):
            with open(place, "rb") as file:
                if b"\0" in file.read(8192):
                    yield Problem(path, 1, "binary", "a program's output does not belong in the tree: remove it, and name it in .gitignore")


def check(root, files):
    yield from check_licences(files)
    yield from check_binaries(os.fspath(root))
    yield from check_functions(os.fspath(root), files)
    yield from check_files(files)
    yield from check_words(files)
