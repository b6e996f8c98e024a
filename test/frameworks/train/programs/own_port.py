# SPDX-License-Identifier: Apache-2.0
"""own_port.py env|url PORT: a program that sets its own MASTER_PORT, as older examples do, in its environment or in a URL."""

import os
import sys

import torch
import torch.distributed as dist

from regression import report


def main(way, port):
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    if way == "env":
        os.environ["MASTER_ADDR"], os.environ["MASTER_PORT"] = "127.0.0.1", port
        dist.init_process_group("gloo", rank=rank, world_size=world)
    else:
        dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=world)
    total = torch.ones(1)
    dist.all_reduce(total)
    report(world=dist.get_world_size(), total=total.item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
