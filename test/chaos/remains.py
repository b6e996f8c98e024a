# SPDX-License-Identifier: Apache-2.0
"""Finds what a round has left: secrets, processes, sockets, locked leases, cgroups, shared memory and files. Each function yields
sentences about it.
"""

import os

import leaks
from processes import command_line, read
from waiting import wait_for
from world import shared_memory

PATIENCE = 15  # seconds for what may leave in its own time, such as an idle controller


def soon(left):
    """What `left()` still returns after a while."""
    try:
        wait_for(lambda: not left(), "", PATIENCE)
    except AssertionError:
        pass
    return left()


def secrets(world, runs):
    """The files and processes that hold a secret although its job has ended. Jobs of torchrun have no secret."""
    wanted = {run.plan["secret"].encode(): run.plan["name"] for run in runs if run.plan["way"] != "torchrun"}
    for folder in (world.state, leaks.runtime_folder()):
        for path in files_below(folder):
            if path.suffix not in (".out", ".err"):
                yield from (f"the secret of {name} is in {path}" for secret, name in wanted.items() if secret in content(path))
    ranks = {each.pid for run in runs for each in run.read()}
    for pid in world.processes():
        if pid not in ranks:
            for file in ("environ", "cmdline"):
                data = read(pid, file)
                yield from (f"the secret of {name} is in the {file} of process {pid}: {' '.join(command_line(pid))[:100]}"
                            for secret, name in wanted.items() if secret in data)


def files_below(folder):
    return [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()] if folder.is_dir() else []


def content(path):
    try:
        return path.read_bytes()
    except OSError:
        return b""


def processes(world, excused=()):
    """`excused`: pids of processes that may be left (comparison.excused)."""
    for pid in soon(lambda: [pid for pid in world.processes() if pid not in excused]):
        words = " ".join(command_line(pid)) or read(pid, "comm").decode().strip()
        yield f"process {pid} is left: {words[:200]}"


def runtime_files(world):
    """Sockets of dead owners. Names of other people's live processes are theirs."""
    def left():
        names = leaks.names_in(leaks.runtime_folder()) - world.muster.runtime_before
        return [name for name in names if leaks.is_left(name, world.muster)]
    yield from (f"{leaks.runtime_folder()}/{name} is left" for name in soon(left))


def leases(_):
    yield from (f"the lease {path} is locked by a process that its owner left" for path in soon(lambda: list(leaks.ports_left())))


def cgroups(world):
    yield from (f"the cgroup {path} is left" for path in soon(lambda: sorted(set(leaks.cgroups_left()) - world.cgroups_before)))


def memory(world):
    yield from (f"shared memory is left: {name}" for name in sorted(shared_memory() - world.shared_memory))


def state_files(world):
    """After `muster rm --all`: nothing of a job, and no temporary file."""
    jobs = world.state / "jobs"
    yield from (f"`muster rm --all` left {path}" for path in (jobs.iterdir() if jobs.is_dir() else []))
    yield from (f"the temporary file {path} is left" for path in leaks.temporary_files(world.state) if path.parent != jobs)
    yield from (f"{path} is left" for path in leaks.home_left(world.muster))


def everything(world, excused):
    """All but secrets, once nothing of the round should run any more."""
    yield from processes(world, excused)
    for look in (runtime_files, leases, cgroups, memory, state_files):
        yield from look(world)


def end_processes(world):
    """Ends what is left of a round, so that the next round does not find it."""
    for pid in world.processes():
        if pid != os.getpid():
            world.muster.kill(pid)
