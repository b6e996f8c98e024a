# SPDX-License-Identifier: Apache-2.0
"""Samples the resources of muster's processes again and again, and checks whether they grow."""

import contextlib
import os
import statistics
import time
from dataclasses import dataclass, fields

from leaks import LEASES, names_in, runtime_folder
from processes import descriptors, memory_kib, processes_of, status

# Allowed difference between the two compared tenths: a free list that is filled once, a page that is touched late.
# PSS is shown but not checked: it depends on other processes that run the same binary.
SLACK = {"descriptors": 2, "anonymous_kib": 768, "rss_kib": 1024, "processes": 2, "runtime_files": 2, "leases": 2}


@dataclass
class Sample:
    """One sample of a process and of the files around it."""
    done: int
    seconds: float
    descriptors: int
    anonymous_kib: int
    rss_kib: int
    pss_kib: int
    processes: int
    runtime_files: int
    leases: int


def leases_of(pids):
    """Lease files that these processes created and signed. They may use an old file of another user but not remove it."""
    signed = {str(pid) for pid in pids}
    count = 0
    for name in names_in(LEASES):
        with contextlib.suppress(OSError):
            path = LEASES / name
            count += path.stat().st_uid == os.getuid() and path.read_text().strip() in signed
    return count


class Samples:
    """Samples of one process over a long run."""

    def __init__(self, muster, pid, what, kib_each=0):
        """`kib_each`: memory that each operation may use permanently, such as its lines in the timeline of a running job."""
        self.muster, self.pid, self.what, self.kib_each = muster, pid, what, kib_each
        self.began, self.taken = time.monotonic(), []

    def take(self, done):
        ours = processes_of(self.muster.home)
        rss = int((status(self.pid, "VmRSS") or "0 kB").split()[0])
        if rss == 0:
            return  # it ended meanwhile
        self.taken.append(Sample(done, time.monotonic() - self.began, descriptors(self.pid), memory_kib(self.pid, "Anonymous"), rss,
                                 memory_kib(self.pid, "Pss"), len(ours), len(names_in(runtime_folder()) - self.muster.runtime_before), leases_of(ours)))

    def tenths(self):
        """Medians of the first tenth after the warm-up (which is one tenth), and of the last tenth."""
        tenth = max(3, len(self.taken) // 10)
        assert len(self.taken) >= 3 * tenth, f"{len(self.taken)} samples of {self.what} are too few"
        first, last = self.taken[tenth:2 * tenth], self.taken[-tenth:]
        return {field.name: (median(first, field.name), median(last, field.name)) for field in fields(Sample)}

    def grown(self):
        """The values that grew, one line each."""
        tenths = self.tenths()
        kept = self.kib_each * (tenths["done"][1] - tenths["done"][0])
        return [f"{name} of {self.what}: {first:g} → {last:g}" for name, (first, last) in tenths.items()
                if name in SLACK and last > first + SLACK[name] + (kept if name.endswith("kib") else 0)]

    def table(self):
        rows = [f"| {self.what}, {self.taken[-1].done} in {self.taken[-1].seconds:.0f} s | first tenth | last tenth |", "| --- | --- | --- |"]
        rows += [f"| {name} | {first:g} | {last:g} |" for name, (first, last) in self.tenths().items() if name not in ("done", "seconds")]
        return "\n".join(rows)


def median(samples, name):
    return statistics.median(getattr(sample, name) for sample in samples)


def folder_size(folder):
    """(files, bytes on disk) of a folder and all below it."""
    files = size = 0
    for path, _, names in os.walk(folder):
        for name in names:
            try:
                size += os.lstat(os.path.join(path, name)).st_blocks * 512
                files += 1
            except FileNotFoundError:
                pass
    return files, size
