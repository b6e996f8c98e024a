# SPDX-License-Identifier: Apache-2.0
"""Injects the faults of fault_table.py. A strike hits only processes and files of its own round; it returns whether it hit something."""

import contextlib
import os
import random
import resource
import shutil
import signal
import threading
from pathlib import Path

from leaks import LEASES
from rank_program import alive, start_time

SHORTEST, LONGEST = 0.2, 2.5  # seconds of a fault that lasts
SIGNALS = {"KILL": signal.SIGKILL, "TERM": signal.SIGTERM, "SEGV": signal.SIGSEGV, "HUP": signal.SIGHUP}


class Striker:
    """`job`: the job_run.JobRun that drew the fault; `number` decides what is open, such as which rank."""

    def __init__(self, world, job, number):
        self.world, self.job, self.chance = world, job, random.Random(number)

    def strike(self, fault):
        name, *given = fault.strike.split(":")
        return getattr(self, name)(*given)

    def last(self):
        """Lets the fault last."""
        threading.Event().wait(self.chance.uniform(SHORTEST, LONGEST))

    def target(self, what):
        """The pid of a `rank`, `agent`, `guardian` or `controller`; None if there is none now."""
        if what == "controller":
            return next(iter(self.world.controllers()), None)
        ranks = self.job.live_ranks()
        if not ranks:
            return None
        rank = self.chance.choice(ranks)
        return {"rank": rank, **dict(zip(("agent", "guardian"), self.world.agent_of(rank)))}[what]

    def targets(self, names):
        """[(pid, start time)], found before the first one is struck."""
        pids = [self.target(name) for name in names.split(",")]
        return [(pid, start_time(pid)) for pid in pids if pid and self.world.owns(pid)]

    @staticmethod
    def send(found, number):
        hit = False
        for pid, started in found:
            if alive(pid, started):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, number)
                    hit = True
        return hit

    def kill(self, names, number):
        return self.send(self.targets(names), SIGNALS[number])

    def suspend(self, name):
        found = self.targets(name)
        if not self.send(found, signal.SIGSTOP):
            return False
        try:
            self.last()
        finally:
            self.send(found, signal.SIGCONT)
        return True

    def second_controller(self):
        self.world.muster.start("serve")
        return True

    def command(self, number):
        command = self.job.command
        if command is None or command.process.poll() is not None:
            return False
        self.job.command_struck = number
        command.signal(SIGNALS[number])
        return True

    def user(self, verb):
        words = [verb, self.job.plan["name"], *(["--grace", self.chance.choice(("0s", "300ms"))] if verb == "stop" else [])]
        return self.world.muster(*words).code == 0

    def paths(self, what):
        state = self.world.state
        if what == "agent socket":
            return self.job.rank_sockets()
        if what == "output index":
            return [path for name in ("order", "times") for path in self.job.folder_of_output().glob(f"*.{name}")]
        return {"controller socket": [self.world.controller_socket()],
                "standalone socket": [self.world.controller_socket().with_name(f"standalone-{self.job.command.pid}.sock")],
                "lock": [state / "lock"], "index": list(state.glob("index.sqlite*")), "leases": list(LEASES.glob("*"))}[what]

    def delete(self, what):
        hit = False
        for path in self.paths(what):
            with contextlib.suppress(OSError):
                path.unlink()
                hit = True
        return hit

    def overwrite_index(self):
        index = self.world.state / "index.sqlite"
        if not index.exists():
            return False
        with contextlib.suppress(OSError), open(index, "r+b") as file:
            file.write(self.chance.randbytes(4096))
        return True

    def fill_disk(self):
        ballast = self.world.disk / f"ballast-{threading.get_ident()}"
        with contextlib.suppress(OSError), open(ballast, "wb", buffering=0) as file:
            while shutil.disk_usage(self.world.disk).free > 0:
                file.write(bytes(min(1 << 20, max(1, shutil.disk_usage(self.world.disk).free))))
        try:
            self.last()
        finally:
            ballast.unlink(missing_ok=True)
        return True

    def limit_writes(self, name):
        """A limit on the size of files, as a quota is one: writes fail with EFBIG."""
        pid = self.target(name)
        if not pid:
            return False
        try:
            before = resource.prlimit(pid, resource.RLIMIT_FSIZE)
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, before[1]))
        except OSError:
            return False
        try:
            self.last()
        finally:
            with contextlib.suppress(OSError):
                resource.prlimit(pid, resource.RLIMIT_FSIZE, before)
        return True

    def close_folder(self):
        folder = Path(self.world.state / "jobs")
        try:
            folder.chmod(0o500)
        except OSError:
            return False
        try:
            self.last()
        finally:
            folder.chmod(0o700)
        return True
