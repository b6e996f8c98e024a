# SPDX-License-Identifier: Apache-2.0
"""Reads the records that rank_program.py keeps.

| line | written |
|---|---|
| start, started, parent, job, socket; own_session, environment, flags | first: pid, start time, and how it was started |
| wrong, beside | at the start: what muster handed over wrongly; processes of earlier attempts that are alive |
| write, stream, offset, size | before a write: the step, and the part of its bytes |
| wrote, error | after it: how many bytes the kernel took, and why not all |
| signal; end, told | before it kills itself; before it exits: the code, and whether because of SIGTERM |
| trouble | the program is wrong |
"""

import functools
import json
import re
from dataclasses import dataclass, field

from rank_program import SAVED, alive, output_of, steps_of


@dataclass
class Process:
    """A rank in one attempt, or a process that it left (`child`)."""

    rank: int
    attempt: int
    child: bool
    lines: list = field(default_factory=list)

    def first(self, key, default=None):
        return next((line[key] for line in self.lines if key in line), default)

    @property
    def name(self):
        flags = [*(self.first("flags") or []), *(["own session"] if self.first("own_session") else []),
                 *([] if self.first("environment", True) else ["no environment"])]
        return f"rank {self.rank} in attempt {self.attempt}" + (f", its process {self.pid} ({', '.join(flags) or 'with environment'})" if self.child else "")

    @property
    def pid(self):
        return self.first("start")

    @property
    def identity(self):
        return self.pid, self.first("started")

    @property
    def code(self):
        """The exit code; None: it was killed, or still runs."""
        return self.first("end")

    @property
    def told(self):
        return self.first("told", False)

    @property
    def succeeded(self):
        return self.code == 0 and not self.told

    @property
    def failed_by_itself(self):
        return self.first("signal") is not None or self.code not in (None, 0)

    def alive(self):
        return self.pid is not None and alive(*self.identity)

    def output(self, plan, stream):
        """(bytes that the kernel took, bytes that a write under way may have added)"""
        sure, maybe, begun = [], b"", None
        for line in self.lines:
            if "write" in line:
                begun = line
            elif "wrote" in line and begun:
                sure.append(part_of(plan, self, begun)[:line["wrote"]] if begun["stream"] == stream else b"")
                begun = None
        if begun and begun["stream"] == stream:
            maybe = part_of(plan, self, begun)
        return b"".join(sure), maybe


# A large write has many parts.
whole_output = functools.lru_cache(maxsize=1)(output_of)


def part_of(plan, process, line):
    step = line["write"]
    name, *values = steps_of(plan, process.rank, process.attempt)[step]
    kind, size = values[1:] if name == "write" else ("lines", SAVED)
    data = whole_output(kind, f"{plan['seed']}/{process.rank}/{process.attempt}/{step}", size)
    return data[line["offset"]:line["offset"] + line["size"]]


def read(folder):
    """The records of one job, by attempt and rank. A last line that was cut by a kill is left out."""
    found = []
    for path in sorted(folder.glob("rank-*")):
        name = re.fullmatch(r"rank-(\d+)\.attempt-(\d+)\.(\d+)(\.child-\d+)?", path.name)
        if not name:
            continue
        lines = [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]
        if lines:
            found.append(Process(int(name[1]), int(name[2]), bool(name[4]), lines))
    return found
