# SPDX-License-Identifier: Apache-2.0
"""Linear regression with Horovod's DistributedGradientTape: each rank has its part of the rows. Prints the mean losses. `kill`: rank 1
dies in the first attempt."""

import os
import signal
import sys

import horovod.tensorflow as hvd
import tensorflow as tf

hvd.init()
rank, ranks = hvd.rank(), hvd.size()
if "kill" in sys.argv and os.environ["MUSTER_ATTEMPT"] == "1" and rank == 1:
    os.kill(os.getpid(), signal.SIGKILL)
rows = tf.random.stateless_normal((96, 4), seed=(1, 2))
targets = rows @ tf.constant([[1.0], [-2.0], [3.0], [0.5]]) + 0.1 * tf.random.stateless_normal((96, 1), seed=(3, 4))
mine = slice(rank * 96 // ranks, (rank + 1) * 96 // ranks)
variables = [tf.Variable(tf.zeros((4, 1))), tf.Variable(0.0)]
hvd.broadcast_variables(variables, root_rank=0)
losses = []
for step in range(20):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((rows[mine] @ variables[0] + variables[1] - targets[mine]) ** 2)
    gradients = hvd.DistributedGradientTape(tape).gradient(loss, variables)
    for variable, gradient in zip(variables, gradients):
        variable.assign_sub(0.1 * gradient)
    losses.append(float(hvd.allreduce(loss, name=f"loss-{step}")))
print(f"rank {rank} of {ranks}, {hvd.local_size()} here: " + " ".join(f"{loss:.3f}" for loss in losses[::5]), flush=True)
