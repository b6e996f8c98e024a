# SPDX-License-Identifier: Apache-2.0
"""Initializes Horovod twice, with a process set besides all ranks. Prints the sums of both turns."""

import horovod.torch as hvd
import torch

for turn in (1, 2):
    others = hvd.ProcessSet([0, 1])
    hvd.init(process_sets=[others])
    mine = torch.tensor([hvd.rank() + 1.0])
    sums = [hvd.allreduce(mine, op=hvd.Sum, name="all").item()]
    if others.included():
        sums.append(hvd.allreduce(mine, op=hvd.Sum, name="others", process_set=others).item())
    print(f"turn {turn}, rank {hvd.rank()}: {sums}", flush=True)
    hvd.shutdown()
