# SPDX-License-Identifier: Apache-2.0
"""Opens its own TCPStore beside the group's, on a port that it chooses, as parameter servers and loggers do."""

import os
from datetime import timedelta

import torch.distributed as dist

from regression import report


def private_store(name, rank, world):
    """Rank 0 serves it; the others read its port from the group's store."""
    address, wait = os.environ["MASTER_ADDR"], timedelta(seconds=60)
    group = dist.distributed_c10d._get_default_store()
    if rank == 0:
        store = dist.TCPStore(address, 0, world, is_master=True, wait_for_workers=False, timeout=wait)
        group.set(name, str(store.port))
        return store
    return dist.TCPStore(address, int(group.get(name)), world, is_master=False, timeout=wait)


def main():
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    first, second = private_store("first", rank, world), dist.PrefixStore("more", private_store("second", rank, world))
    for store in (first, second):
        store.set(f"from {rank}", f"value {rank}")
        store.add("seen", 1)
    values = [[store.get(f"from {other}").decode() for other in range(world)] for store in (first, second)]
    dist.barrier()
    counts = [store.add("seen", 0) for store in (first, second)]
    dist.barrier()
    report(world=world, values=values, counts=counts, port_differs=str(first.port) != os.environ["MASTER_PORT"])
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
