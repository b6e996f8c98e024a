# SPDX-License-Identifier: Apache-2.0
"""Data parallel training: each rank has its part of the rows. Prints the mean losses. `kill`: rank 1 dies in the first attempt."""

import os
import signal
import sys

import numpy
import paddle
import paddle.distributed as dist

paddle.set_device("cpu")
dist.init_parallel_env()
rank, ranks = dist.get_rank(), dist.get_world_size()
if "kill" in sys.argv and os.environ["MUSTER_ATTEMPT"] == "1" and rank == 1:
    os.kill(os.getpid(), signal.SIGKILL)
paddle.seed(1)
drawn = numpy.random.default_rng(1)
rows = drawn.normal(size=(96, 4)).astype("float32")
targets = rows @ numpy.array([[1.0], [-2.0], [3.0], [0.5]], dtype="float32")
mine = slice(rank * 96 // ranks, (rank + 1) * 96 // ranks)
network = paddle.nn.Sequential(paddle.nn.Linear(4, 8), paddle.nn.Tanh(), paddle.nn.Linear(8, 1))
model = paddle.DataParallel(network)
optimizer = paddle.optimizer.SGD(learning_rate=0.1, parameters=model.parameters())
losses = []
for _ in range(20):
    loss = paddle.nn.functional.mse_loss(model(paddle.to_tensor(rows[mine])), paddle.to_tensor(targets[mine]))
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
    mean = loss.detach()
    dist.all_reduce(mean)
    losses.append(float(mean) / ranks)
print(f"rank {rank} of {ranks}: " + " ".join(f"{loss:.3f}" for loss in losses[::5]), flush=True)
