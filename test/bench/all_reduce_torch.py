# SPDX-License-Identifier: Apache-2.0
"""all_reduce_torch.py FOLDER RANK: sweep.h in torch.distributed with the gloo backend, over loopback."""

import os
import sys

os.environ["GLOO_SOCKET_IFNAME"] = "lo"
import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402

from torch_report import calls, loop, write  # noqa: E402

SIZES = (("4B", 1, 300, 2000), ("1MiB", 2**18, 10, 100), ("64MiB", 2**24, 1, 4))


def main(folder, rank):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{folder}/store/torch", rank=rank, world_size=2)
    lines = []
    for name, count, warm, times in SIZES:
        values = torch.ones(count)
        dist.all_reduce(values)
        assert values[0] == 2 and values[-1] == 2
        values.zero_()

        def act():
            dist.all_reduce(values)
        for _ in range(warm):
            act()
        loop(lines, name, act, times)
        calls(lines, name, act, times)
    write(folder, rank, lines)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
