# SPDX-License-Identifier: Apache-2.0
"""The tree as the rules see it: files by kind, and C++ without its comments and strings."""

import os
import re
from dataclasses import dataclass

SKIPPED_FOLDERS = {".git", "build", "__pycache__", "node_modules", ".cache", ".checkpoints", ".venv", "venv"}
CPP = (".cc", ".h", ".cpp", ".hpp")
TEXT = CPP + (".py", ".proto", ".cmake", ".txt", ".md", ".yaml", ".yml", ".json", ".sh", ".ts", ".js", ".css", ".html", ".toml")

# Raw strings, strings, characters, comments; a quote between digits (1'000) opens nothing.
OPAQUE = re.compile(
    r'R"(?P<mark>[^(\s]{0,16})\(.*?\)(?P=mark)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'"
    r"|//[^\n]*"
    r"|/\*.*?\*/", re.DOTALL)


@dataclass(frozen=True)
class Problem:
    path: str
    line: int
    rule: str
    message: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.rule}: {self.message}"


@dataclass(frozen=True)
class File:
    path: str  # relative, with slashes
    text: str

    @property
    def is_cpp(self):
        return self.path.endswith(CPP)

    @property
    def is_cmake(self):
        return self.path.endswith(("CMakeLists.txt", ".cmake"))

    @property
    def is_python(self):
        return self.path.endswith(".py") or self.text.startswith("#!/usr/bin/env python3")

    @property
    def is_shell(self):
        return self.path.endswith(".sh") or bool(re.match(r"#!.*\b(ba|z)?sh\b", self.text))

    @property
    def is_source(self):
        return self.is_cpp or self.is_cmake or self.is_python or self.is_shell or self.path.endswith(".proto")

    @property
    def is_test(self):
        name = os.path.basename(self.path)
        return self.path.startswith("test/") or bool(re.search(r"(^test_|_test\.)", name))

    @property
    def lines(self):
        return self.text.split("\n")

    @property
    def code_lines(self):
        """C++ lines with comments gone and literals emptied, each still on its own line."""
        return without_opaque(self.text).split("\n")

    def includes(self):
        """(line, what is included) of each #include that is no comment."""
        bare = without_opaque(self.text, keep_strings=True).split("\n")
        for number, line in enumerate(bare, 1):
            found = re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line)
            if found:
                yield number, found.group(1)


def without_opaque(text, keep_strings=False):
    def blank(match):
        whole = match.group(0)
        if whole[0] == "/":
            return " " + "\n" * whole.count("\n")
        return whole if keep_strings else '""' + "\n" * whole.count("\n")
    return OPAQUE.sub(blank, text)


def read_tree(root):
    """Every text file below root, in order of its path."""
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(set(folders) - SKIPPED_FOLDERS)
        for name in sorted(names):
            path = os.path.join(folder, name)
            if os.path.islink(path) or not os.path.isfile(path):
                continue
            relative = os.path.relpath(path, root)
            if name.endswith(TEXT) or "." not in name:
                with open(path, encoding="utf-8", errors="replace") as file:
                    found.append(File(relative, file.read()))
    return sorted(found, key=lambda file: file.path)
