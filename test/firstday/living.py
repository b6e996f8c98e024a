# SPDX-License-Identifier: Apache-2.0
"""Finds processes by the HOME of their environment, and waits for them without polling."""

import os
import pathlib
import select
import signal
import time


class Process:
    def __init__(self, pid):
        self.pid = pid
        self.pidfd = os.pidfd_open(pid)
        text = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
        self.command = text.split("\0")[:-1]

    def __del__(self):
        if getattr(self, "pidfd", -1) >= 0:
            os.close(self.pidfd)

    def __str__(self):
        return f"{self.pid} {' '.join(self.command)}"

    def kill(self, number):
        try:
            os.kill(self.pid, number)
        except ProcessLookupError:
            pass


def living_after(processes, seconds):
    """Those of `processes` that still run after `seconds`."""
    deadline = time.monotonic() + seconds
    return [one for one in processes if not select.select([one.pidfd], [], [], max(0, deadline - time.monotonic()))[0]]


def kill_all(found):
    """Kills what `found()` returns, until it returns nothing: a process may just be starting another one."""
    while victims := found():
        for one in victims:
            one.kill(signal.SIGKILL)
        assert living_after(victims, 30) == []


def processes_of(*homes):
    """All living processes whose environment has one of `homes` as HOME."""
    wanted = {f"HOME={home}".encode() for home in homes}
    found = []
    for folder in pathlib.Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            if not wanted.isdisjoint((folder / "environ").read_bytes().split(b"\0")):
                found.append(Process(int(folder.name)))
        except OSError:
            continue  # ended meanwhile, or another user's
    return found
