# SPDX-License-Identifier: Apache-2.0
"""Reads /proc about processes."""

from pathlib import Path


def read(pid, name):
    """A file of /proc/PID; empty if the process has ended, is a zombie, or belongs to another user."""
    try:
        return (Path("/proc") / str(pid) / name).read_bytes()
    except OSError:
        return b""


def words_of(pid, name):
    return [word.decode(errors="replace") for word in read(pid, name).split(b"\0")[:-1]]


def command_line(pid):
    return words_of(pid, "cmdline")


def all_pids():
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]


def processes_of(home):
    """Processes that were started with this HOME."""
    return [pid for pid in all_pids() if f"HOME={home}" in words_of(pid, "environ")]


def status(pid, key):
    """A line of /proc/PID/status: `status(1, "Name")` is "init"; empty when the process is gone."""
    for line in read(pid, "status").decode(errors="replace").splitlines():
        name, _, value = line.partition(":")
        if name == key:
            return value.strip()
    return ""


def alive(pid):
    return status(pid, "State")[:1] not in ("", "Z", "X")


def parent(pid):
    return int(status(pid, "PPid") or 0)


def descriptors(pid):
    try:
        return len(list((Path("/proc") / str(pid) / "fd").iterdir()))
    except OSError:
        return 0


def tree(root):
    """The process and all its descendants."""
    found = [root]
    for pid in found:
        found += [child for child in all_pids() if parent(child) == pid]
    return found


def memory_kib(pid, key):
    """Values of smaps_rollup, e.g. `Pss` (shared pages in proportion) and `Anonymous` (pages of no file)."""
    for line in read(pid, "smaps_rollup").decode(errors="replace").splitlines():
        if line.startswith(f"{key}:"):
            return int(line.split()[1])
    return 0
