# SPDX-License-Identifier: Apache-2.0
"""Linear regression: each rank has its part of the rows, and the ranks average their gradients. Prints the losses."""

import mlx.core as mx

group = mx.distributed.init()
rank, ranks = group.rank(), group.size()
mx.random.seed(1)
rows = mx.random.normal((96, 4))
targets = rows @ mx.array([1.0, -2.0, 3.0, 0.5]) + 0.1 * mx.random.normal((96,))
mine = slice(rank * 96 // ranks, (rank + 1) * 96 // ranks)


def loss_of(weights):
    return mx.mean(mx.square(rows[mine] @ weights - targets[mine]))


weights, losses = mx.zeros((4,)), []
for _ in range(20):
    loss, gradient = mx.value_and_grad(loss_of)(weights)
    mean = mx.distributed.all_sum(mx.concatenate([gradient, loss[None]])) / ranks
    weights = weights - 0.1 * mean[:4]
    losses.append(mean[4].item())
print(f"rank {rank} of {ranks}: " + " ".join(f"{loss:.3f}" for loss in losses[::5]), flush=True)
