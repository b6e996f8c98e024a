# SPDX-License-Identifier: Apache-2.0
"""The world of one round: folders and a user of its own, and how to tell its processes from those of other people."""

import os
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import leaks
from processes import all_pids, command_line, parent, words_of
from program import Muster


@dataclass
class Strike:
    """A fault that was injected: from when to when, in seconds of CLOCK_MONOTONIC, and the job that drew it."""

    fault: object
    job: str
    begin: float
    end: float


class World:
    """`disk`: a folder of the small disk that becomes the state folder, or None. `alone`: nobody else is in our namespaces."""

    def __init__(self, folder, disk, alone):
        folder.mkdir(parents=True)
        self.folder, self.disk, self.alone = folder, disk, alone
        self.muster = Muster(folder)
        self.muster.env["PYTHONDONTWRITEBYTECODE"] = "1"
        if disk:
            self.muster.state = disk / folder.name
            self.muster.env["MUSTER_STATE_DIR"] = str(self.muster.state)
        self.strikes = []
        self.guard = threading.Lock()
        self.shared_memory, self.cgroups_before = shared_memory(), set(leaks.cgroups_left())

    @property
    def state(self):
        return self.muster.state

    def controller_socket(self):
        return leaks.runtime_folder() / leaks.socket_name(self.state)

    def struck(self, fault, job, begin):
        with self.guard:
            self.strikes.append(Strike(fault, job, begin, time.monotonic()))

    def strikes_on(self, run):
        """The strikes that may have had an effect on this job."""
        with self.guard:
            return [each for each in self.strikes if each.job == run.plan["name"] or
                    (each.fault.everybody and run.plan["way"] in each.fault.ways and each.begin <= run.end and run.begin <= each.end + 1)]

    def owns(self, pid):
        """Whether a process belongs to this round: by its HOME, its arguments, or an open file in its folders."""
        if f"HOME={self.muster.home}" in words_of(pid, "environ"):
            return True
        marks = (str(self.folder) + "/", str(self.state) + "/", str(self.controller_socket()))
        return any(mark in text for mark in marks for text in (*command_line(pid), *open_files(pid)))

    def processes(self):
        """Pids of this round. In namespaces of our own these are all processes but those that run the chaos."""
        mine = ancestors(os.getpid())
        return [pid for pid in all_pids() if pid not in mine and (self.owns(pid) or (self.alone and same_network(pid)))]

    def controllers(self):
        return [pid for pid in self.processes() if is_muster(pid, "serve")]

    def agent_of(self, rank):
        """(agent, guardian) of a rank's process; None where there is none."""
        agent = parent(rank)
        if not is_muster(agent, "agent"):
            return None, None
        guardian = parent(agent)
        return agent, guardian if is_muster(guardian, "agent") else None


def is_muster(pid, *words):
    line = command_line(pid)
    return bool(line) and Path(line[0]).name == "muster" and line[1:1 + len(words)] == list(words)


def open_files(pid):
    folder, found = f"/proc/{pid}/fd", []
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    for name in names:
        try:
            found.append(os.readlink(f"{folder}/{name}"))
        except OSError:
            pass
    return found


def same_network(pid):
    try:
        return os.readlink(f"/proc/{pid}/ns/net") == os.readlink("/proc/self/ns/net")
    except OSError:
        return False


def ancestors(pid):
    found = set()
    while pid > 0 and pid not in found:
        found.add(pid)
        pid = parent(pid)
    return found


def shared_memory():
    """Shared memory of this user whose creator cannot be told from outside: names in /dev/shm, and segments of System V."""
    names = {path.name for path in Path("/dev/shm").glob("*") if owned(path)}
    lines = Path("/proc/sysvipc/shm").read_text().splitlines()[1:] if Path("/proc/sysvipc/shm").exists() else []
    return names | {f"segment {line.split()[1]}" for line in lines if line.split()[7] == str(os.getuid())}


def owned(path):
    try:
        return path.stat().st_uid == os.getuid()
    except OSError:
        return False
