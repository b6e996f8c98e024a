# SPDX-License-Identifier: Apache-2.0
"""Runs one planned job from its start to its end, injects its faults on the way, and notes what muster said and left."""

import json
import threading
import time
from pathlib import Path

import fault_table
import rank_records
from rank_program import digest
from strikes import Striker

PROGRAM = Path(__file__).resolve().parent / "rank_program.py"
PYTHON = "/usr/bin/python3"
PATIENCE = 90  # seconds within which a job must end; the longest ones take 20 s on a busy machine
LOOK = 0.02    # seconds between two looks at the records
REFUSALS = (3, 8)   # codes of a command while the disk is full or the folder of jobs cannot be written
FAULT_PATIENCE = 5  # seconds after which such a fault is over


class JobRun:
    def __init__(self, world, plan):
        self.world, self.plan, self.muster = world, plan, world.muster
        self.records = world.folder / "records" / plan["name"]
        self.workdir = world.folder / "work" / plan["name"] / plan["folder"]
        self.command, self.command_struck, self.code, self.said = None, None, None, ""
        self.job, self.alive_at_end, self.begin, self.end = None, [], 0.0, 0.0
        self.written = {}  # (attempt, rank, stream) → bytes that muster has
        self.logged = {}   # the same, as `muster logs` prints it
        self.trouble = []

    # Reads the records of the job's ranks while it runs.

    def read(self):
        return rank_records.read(self.records)

    def live_ranks(self):
        ranks = [each for each in self.read() if not each.child]
        newest = max((each.attempt for each in ranks), default=0)
        return [each.pid for each in ranks if each.attempt == newest and each.alive()]

    def rank_sockets(self):
        return [Path(each.first("socket")) for each in self.read() if not each.child and each.alive()]

    @property
    def id(self):
        return next((each.first("job") for each in self.read() if each.first("job")), None)

    def reference(self):
        """The job's name in commands, or its id: torchrun chooses the name of its job."""
        return self.id if self.plan["way"] == "torchrun" else self.plan["name"]

    def folder_of_output(self, attempt=None):
        newest = attempt or max((each.attempt for each in self.read()), default=1)
        return self.world.state / "jobs" / (self.id or "none") / f"attempt-{newest}"

    # From start to end.

    def words(self):
        plan = self.plan
        program = [PYTHON, "-S", "-E", PROGRAM, self.records / "plan.json", self.records, *plan["arguments"]]
        each_node = plan["count"] // plan["nodes"]
        if plan["way"] == "torchrun":
            return ["torchrun", "--no-python", "--nproc-per-node", each_node, "--max-restarts", plan["limit"], *program]
        head = {"submit": ["submit", "-q"], "run": ["run"], "standalone": ["run", "--standalone"]}[plan["way"]]
        return [*head, "--name", plan["name"], "--nodes", plan["nodes"], "-n", each_node, "--restarts", plan["limit"], "--framework", "any",
                "--grace", "300ms", "--timeout-stop", "500ms", "--set", "restarts.backoff.then=1ms..50ms", "--set", "restarts.crash_loop=0",
                "--set", f"timeouts.leftovers={plan['leftovers']}s", "-e", "CHAOS_SECRET", "--", *program]

    def prepare(self):
        self.records.mkdir(parents=True)
        self.workdir.mkdir(parents=True)
        self.plan["expected"]["workdir"] = str(self.workdir)
        self.plan["expected"]["variables"]["CHAOS_SECRET"] = digest(self.plan["secret"])
        (self.records / "plan.json").write_text(json.dumps(self.plan))

    def environment(self):
        return {name: bytes.fromhex(value) for name, value in self.plan["variables"].items()} | {"CHAOS_SECRET": self.plan["secret"]}

    def run(self):
        self.prepare()
        self.begin = time.monotonic()
        self.start()
        if self.plan["way"] == "submit":
            self.code = self.end_of_command()
            while self.code in REFUSALS and time.monotonic() < self.begin + FAULT_PATIENCE:
                threading.Event().wait(LOOK)
                self.start()
                self.code = self.end_of_command()
            if self.code != 0:
                self.finish()
                return
            self.command = self.muster.start("wait", self.plan["name"])
        faults = [[fault_table.by_name(name), *rest] for name, *rest in self.plan["faults"]]
        while self.command.process.poll() is None and time.monotonic() < self.begin + PATIENCE:
            faults = self.strike_due(faults)
            threading.Event().wait(LOOK)
        self.code = self.end_of_command()
        while self.plan["way"] in fault_table.HELD and self.command_struck:
            self.command_struck = None
            self.command = self.muster.start("wait", self.plan["name"])
            self.code = self.end_of_command()
        self.finish()

    def start(self):
        self.command = self.muster.start(*self.words(), env=self.environment(), cwd=self.workdir)

    def end_of_command(self):
        try:
            done = self.command.end(max(1, self.begin + PATIENCE - time.monotonic()))
        except AssertionError:
            self.trouble.append(f"`{' '.join(self.command.arguments[1:4])} …` has not ended within {PATIENCE} s")
            self.command.process.kill()
            done = self.command.end()
        self.said += done.err[-2000:]
        return done.code

    def strike_due(self, faults):
        """Injects the faults whose time has come; returns the others."""
        starts = {}
        for each in self.read() if faults else []:
            at = each.lines[0]["at"]
            starts[each.attempt] = min(at, starts.get(each.attempt, at))
        now = time.clock_gettime(time.CLOCK_BOOTTIME)
        later = []
        for fault, attempt, after, number in faults:
            if attempt in starts and now >= starts[attempt] + after:
                begin = time.monotonic()
                if Striker(self.world, self, number).strike(fault):
                    self.world.struck(fault, self.plan["name"], begin)
            else:
                later.append([fault, attempt, after, number])
        return later

    def finish(self):
        """Looks at processes first: nothing of the job may be alive once its end has been told."""
        self.end = time.monotonic()
        self.alive_at_end = [each for each in self.read() if each.alive()]
        reference = self.reference()
        if reference is None:
            return
        told = self.ask("describe", reference, "-o", "json")
        self.job = told and json.loads(told)
        for each in self.read():
            if not each.child:
                for stream in (1, 2):
                    self.keep_output(each, stream, reference)

    def ask(self, *words):
        """The stdout of a command; None if it still fails when no fault lasts any more."""
        deadline = time.monotonic() + FAULT_PATIENCE
        while (done := self.muster(*words)).code in REFUSALS and time.monotonic() < deadline:
            threading.Event().wait(LOOK)
        if done.code != 0:
            self.said += done.err[-2000:]
            return None
        return done.raw

    def keep_output(self, process, stream, reference):
        key = process.attempt, process.rank, stream
        name = {1: "out", 2: "err"}[stream]
        path = self.folder_of_output(process.attempt) / f"worker-{process.rank}.{name}"
        self.written[key] = path.read_bytes() if path.exists() else None
        if process.rank == 0 and process.attempt == 1:
            self.logged[key] = self.ask("logs", reference, "--rank", 0, "--attempt", 1, "--stream", name, "--no-prefix")


