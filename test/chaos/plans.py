# SPDX-License-Identifier: Apache-2.0
"""Random plans of jobs. Everything of a plan follows from the seed and the numbers of its round and job.

A plan is a dictionary that rank_program.py reads as JSON. Its `ranks` are lists, one for each rank, of lists of steps, one for each
attempt. A step is a method of rank_program.Rank with its arguments.
"""

import random

import fault_table
from rank_program import digest

JOBS = 10  # of a round
ODD_WORDS = ("", " ", "two words", "quote'\"", "$HOME `id` \\", "new\nline", "tab\t", "ünï çödé 漢字", "-n", "--", "*", "x" * 5000)
ODD_FOLDERS = ("plain", "two words", "ünï 漢字", "quote'", "dollar$HOME", "line\nbreak", "-n", "percent%s")
SIGNALS = (6, 7, 8, 9, 10, 11, 15)  # of a rank that kills itself
WAYS = ("submit", "submit", "submit", "run", "run", "standalone", "torchrun")
SMALL = 300_000  # most bytes of one write if the disk is small


class Round:
    """The plans of a round. A third of the rounds have a small disk as state folder if there is one."""

    def __init__(self, seed, number, small_disk, own_temporary, privileged):
        self.seed, self.number = seed, number
        self.small_disk = small_disk and number % 3 == 2
        self.own_temporary, self.privileged = own_temporary, privileged

    def plan(self, number):
        return Planner(self, number).plan()


class Planner:
    def __init__(self, around, number):
        self.around, self.number = around, number
        self.seed = f"{around.seed}/{around.number}/{number}"
        self.chance = random.Random(self.seed)

    def plan(self):
        chance = self.chance
        way = chance.choice(WAYS)
        nodes = chance.choice((1, 1, 1, 2)) if way != "torchrun" else 1
        count = nodes * chance.choice((1, 1, 2, 3))
        limit = chance.choice((0, 1, 2, 3))
        words = [chance.choice(ODD_WORDS) for _ in range(chance.randrange(4))]
        variables = self.variables()
        return {
            "name": f"job-{self.around.number}-{self.number}", "seed": self.seed, "way": way, "nodes": nodes, "count": count, "limit": limit,
            "folder": chance.choice(ODD_FOLDERS), "arguments": words, "variables": {name: value.hex() for name, value in variables.items()},
            "privileged": self.around.privileged, "secret": f"chaos-{chance.randbytes(16).hex()}", "leftovers": chance.choice((0, 1, 2)),
            "ranks": [self.attempts(limit) for _ in range(count)], "faults": self.faults(way),
            "expected": {"arguments": digest(repr([word.encode() for word in words]).encode()),
                         "variables": {name: digest(value) for name, value in variables.items()}},
        }

    def variables(self):
        """Variables of the shell that starts the job: none, odd ones, or many and large ones."""
        chance = self.chance
        odd = {"CHAOS_ODD": b"a=b\nc\x80\xff'\"", "CHAOS_EMPTY": b"", "chaos.dotted-name": b"x"}
        kind = chance.randrange(4)
        if kind < 2:
            return {}
        if kind == 2:
            return odd
        return odd | {f"CHAOS_HUGE_{each}": chance.randbytes(8).hex().encode() * 6000 for each in range(chance.randrange(1, 9))}

    def attempts(self, limit):
        """Most attempts but the last one fail in some rank; some jobs fail in every attempt."""
        chance = self.chance
        failing = chance.choice((0, 0, 0, 1, limit + 1))
        return [self.steps(fails=number < failing and chance.random() < 0.7) for number in range(limit + 1)]

    def steps(self, fails):
        chance = self.chance
        steps = [self.step() for _ in range(chance.randrange(1, 5))]
        steps.append(["wait", round(chance.uniform(0, 1.2), 2)])
        if chance.random() < 0.1:
            steps.insert(0, ["deaf"])
        elif chance.random() < 0.15:
            steps.insert(0, ["saves"])
        if chance.random() < 0.15:
            steps.append(["close", *chance.sample((0, 1, 2), chance.randrange(1, 4))])
        if fails:
            steps.append(["signal", chance.choice(SIGNALS)] if chance.random() < 0.3 else ["exit", chance.randrange(1, 256)])
        return steps

    def step(self):
        chance = self.chance
        kind = chance.choices(("write", "long line", "wait", "leave"), (8, 2, 8, 4))[0]
        if kind == "wait":
            return ["wait", round(chance.uniform(0, 0.6), 2)]
        if kind == "leave":
            flags = [name for name in ("deaf", "headless") if chance.random() < 0.3]
            return ["leave", chance.choice((1, 60, 600)), chance.random() < 0.5, chance.random() < 0.6, *flags]
        most = 50_000_000 if kind == "long line" else chance.choice((100, 10_000, 1_000_000))
        size = chance.randrange(1, most + 1) if kind == "write" else most
        if self.around.small_disk:
            size = min(size, SMALL)
        return ["write", chance.choice((1, 1, 2)), "line" if kind == "long line" else chance.choice(("lines", "lines", "line", "binary")), size]

    def faults(self, way):
        """None, one, or a pair at nearly the same time: (name, attempt, seconds after its first rank has started, a number)."""
        chance = self.chance
        table = fault_table.drawable(way, self.around.small_disk, self.around.own_temporary, self.around.privileged)
        count = chance.choices((0, 1, 2), (2, 4, 3))[0]
        attempt, after = chance.choice((1, 1, 1, 2)), round(chance.uniform(0, 1.2), 2)
        drawn = chance.choices(table, [fault.weight for fault in table], k=count)
        return [[fault.name, attempt, round(after + chance.choice((0, 0, 0.05, 0.3)) * each, 2), chance.randrange(1 << 30)]
                for each, fault in enumerate(drawn)]


def line_of(plan):
    """The plan in one line."""
    faults = " + ".join(f"{name} @{attempt}:{after:g}s" for name, attempt, after, _ in plan["faults"]) or "no fault"
    ranks = " | ".join(" / ".join(" ".join(brief(step) for step in steps) for steps in attempts[:2]) for attempts in plan["ranks"])
    return f"{plan['name']} {plan['way']}, {plan['nodes']}×{plan['count'] // plan['nodes']} ranks, {plan['limit']} restarts; {faults}; {ranks}"


def brief(step):
    name, *values = step
    if name == "leave":
        seconds, own, environment, *flags = values
        return ":".join(["leave", *flags, *(["own-session"] if own else []), *([] if environment else ["no-environment"]), f"{seconds}s"])
    return ":".join(map(str, step))
