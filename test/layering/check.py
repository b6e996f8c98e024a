# SPDX-License-Identifier: Apache-2.0
"""The rules of docs/design/style.md that a program can judge: `python3 test/layering/check.py [ROOT]`.

Prints `path:line: rule: what to do instead` for each breach. Exit status: 0 none, 1 some, 2 nothing to judge.
"""

import pathlib
import sys

import arrows
import bans
import named_tests
import shape
import sizes
import words
from tree import read_tree


def problems_of(root):
    files = read_tree(root)
    if not any(file.is_cpp for file in files):
        raise RuntimeError(f"{root} holds no C++ file: nothing was judged")
    found = [*arrows.check(files), *bans.check(files), *shape.check(root, files), *sizes.check(root, files), *words.check(root, files),
             *named_tests.check(files)]
    return sorted(found, key=lambda problem: (problem.path, problem.line, problem.rule))


def main(arguments):
    root = arguments[0] if arguments else pathlib.Path(__file__).resolve().parents[2]
    try:
        found = problems_of(root)
    except RuntimeError as problem:
        print(f"layering: {problem}", file=sys.stderr)
        return 2
    for problem in found:
        print(problem)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
