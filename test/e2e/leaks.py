# SPDX-License-Identifier: Apache-2.0
"""Finds processes, sockets, ports and temporary files that a test left behind (docs/design/job-machine.md)."""

import fcntl
import os
import re
import shutil
from pathlib import Path

from processes import alive, command_line, processes_of
from waiting import wait_for

LEASES = Path("/tmp/muster-leases")


def runtime_folder():
    return Path(f"/tmp/muster-{os.getuid()}")


def names_in(folder):
    return {path.name for path in folder.iterdir()} if folder.is_dir() else set()


def socket_name(state):
    """The controller's socket is named after its state folder: FNV-1a, 64 bits."""
    value = 0xCBF29CE484222325
    for byte in os.fsencode(state):
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{value:016x}.sock"


def describe(pids):
    return "\n".join(f"{pid}: {' '.join(command_line(pid))}" for pid in pids)


def processes_left(home):
    wait_for(lambda: not processes_of(home), lambda: "these processes to end:\n" + describe(processes_of(home)))


def process_key(pid):
    """The name of a process in the names of its files in the runtime folder: its pid and its pid namespace."""
    return f"{pid}-{os.stat('/proc/self/ns/pid').st_ino}"


def owner_of(name):
    """The pid in the name of a socket, a pipe, or a folder of the runtime folder (core/client/connect/paths.cc)."""
    found = re.fullmatch(r"(?:standalone|agent)-(\d+)(?:-\d+)?\.sock|(?:timers|warm|mpi|images)-(\d+)(?:-\d+)?", name)
    return found and int(found[1] or found[2])


def is_left(name, muster):
    """Whether a file of the runtime folder is the socket of this test's controller, or its owner is dead."""
    owner = owner_of(name)
    return name == socket_name(muster.state) or bool(owner and not alive(owner))


def temporary_files(state):
    return [path for path in state.rglob("*") if re.search(r"^\.|\.(tmp|new|cut)$|~$|-journal$", path.name)]


def home_left(muster):
    return [path for path in muster.home.iterdir() if path.name != ".config"]


def files_left(muster):
    for name in names_in(runtime_folder()) - muster.runtime_before:
        known = owner_of(name) or re.fullmatch(r"[0-9a-f]{16}\.sock", name)
        if not known or is_left(name, muster):
            yield f"{runtime_folder()}/{name}"
    yield from map(str, [*temporary_files(muster.state), *home_left(muster)])


def ports_left():
    """Leases that are locked although the agent that signed them is dead: a rank's descendant holds the lock."""
    for path in LEASES.glob("port-*"):
        try:
            with open(path) as file:
                signed = file.read().strip()
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            if signed and not alive(int(signed)):
                yield str(path)
        except OSError:
            pass


def cgroups_left():
    for folder, names, _ in os.walk("/sys/fs/cgroup"):
        # Clusters of test/cluster have theirs, with processes that count by themselves.
        names[:] = [name for name in names if not name.startswith("muster-cluster-")]
        for path in (Path(folder) / name for name in names if name.startswith("muster-")):
            if path.exists() and path.stat().st_uid == os.getuid() and not of_another_run(path.name):
                yield str(path)


def of_another_run(name):
    """True if the process in the file's name is alive: the file belongs to another test run."""
    owner = re.match(r"muster-(\d+)-", name)
    return owner is not None and alive(int(owner[1]))


def check(muster):
    processes_left(muster.home)

    def left():
        return [*files_left(muster), *ports_left(), *cgroups_left()]
    # Other test runs may use the machine; their next controller removes their sockets.
    wait_for(lambda: not left(), lambda: "these to go:\n" + "\n".join(left()), 30)


def sweep(muster):
    """Removes the files that processes killed after a failed test could not remove themselves."""
    for name in names_in(runtime_folder()) - muster.runtime_before:
        if is_left(name, muster):
            remove(runtime_folder() / name)


def remove(path):
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def end(user, failed):
    """Runs after a test: fails if something of it is left, unless the test failed anyway; removes what is left."""
    try:
        if not failed:
            check(user)
    finally:
        user.kill_all()
        sweep(user)
        for running in user.started:
            running.process.wait()
