# SPDX-License-Identifier: Apache-2.0
"""mpi4py: Python objects and buffers."""

from array import array

from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()
everyone = world.allgather({"rank": rank, "words": ["x"] * rank})
assert [one["rank"] for one in everyone] == list(range(size))
assert [len(one["words"]) for one in everyone] == list(range(size))
sums = array("d", [0.0] * 1000)
world.Allreduce(array("d", [float(rank)] * 1000), sums)
assert sums[999] == size * (size - 1) / 2
print(f"rank {rank} of {size}: {MPI.Get_library_version().split(',')[0]}", flush=True)
