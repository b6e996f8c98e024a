# SPDX-License-Identifier: Apache-2.0
"""torch_first.py FOLDER: a gloo group and its first all_reduce, timed. With a second argument it continues until it is killed:
`forever` with all_reduce, `idle` without.

FOLDER/ATTEMPT-RANK then has, in the format of sides.py: the time when this rank had imported torch, the time when it had passed its first
collective, its pid and its pid namespace."""

import os
import signal
import sys
import time

import torch
import torch.distributed as dist

imported = time.monotonic_ns()


def write(folder, passed):
    """Writes atomically, since a process waits for the file."""
    path = os.path.join(folder, f"{os.environ['TORCHELASTIC_RESTART_COUNT']}-{os.environ['RANK']}")
    with open(path + ".new", "w") as file:
        file.write(f"passed {passed}\ncalls imported {imported}\ncalls pid {os.getpid()}\n"
                   f"calls place {os.stat('/proc/self/ns/pid').st_ino}\n")
    os.rename(path + ".new", path)


def main(folder, then=""):
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    values = torch.ones(1)
    dist.all_reduce(values)
    write(folder, time.monotonic_ns())
    assert values.item() == dist.get_world_size()
    while then == "idle":
        signal.pause()
    while then:
        dist.all_reduce(values)
    dist.destroy_process_group()


if __name__ == "__main__":
    main(*sys.argv[1:3])
