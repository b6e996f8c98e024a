# SPDX-License-Identifier: Apache-2.0
"""Linear regression with Horovod's DistributedOptimizer: each rank has its part of the rows. Prints the mean losses. `kill`: rank 1 dies
in the first attempt. `exec`: rank 1 then executes its program again, so that it is not forked."""

import os
import signal
import sys

if "exec" in sys.argv and os.environ["MUSTER_ATTEMPT"] == "2" and os.environ["MUSTER_INDEX"] == "1" and "EXECUTED" not in os.environ:
    os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | {"EXECUTED": "1"})

import horovod.torch as hvd  # noqa: E402
import torch  # noqa: E402

hvd.init()
rank, ranks = hvd.rank(), hvd.size()
if "kill" in sys.argv and os.environ["MUSTER_ATTEMPT"] == "1" and rank == 1:
    os.kill(os.getpid(), signal.SIGKILL)
torch.manual_seed(1)
rows = torch.randn(96, 4)
targets = rows @ torch.tensor([[1.0], [-2.0], [3.0], [0.5]]) + 0.1 * torch.randn(96, 1)
mine = slice(rank * 96 // ranks, (rank + 1) * 96 // ranks)
model = torch.nn.Linear(4, 1)
optimizer = hvd.DistributedOptimizer(torch.optim.SGD(model.parameters(), lr=0.1), named_parameters=model.named_parameters())
losses = []
for step in range(20):
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(model(rows[mine]), targets[mine])
    loss.backward()
    optimizer.step()
    losses.append(hvd.allreduce(loss.detach(), name=f"loss-{step}").item())
print(f"rank {rank} of {ranks}, {hvd.local_size()} here: " + " ".join(f"{loss:.3f}" for loss in losses[::5]), flush=True)
