# SPDX-License-Identifier: Apache-2.0
"""A linear regression that the ranks of a program with TensorFlow share: each has its part of the rows."""

import horovod.tensorflow as hvd
import tensorflow as tf

_ROWS = 96


class Regression:
    def __init__(self):
        self.rows = tf.random.stateless_normal((_ROWS, 4), seed=(1, 2))
        noise = tf.random.stateless_normal((_ROWS, 1), seed=(3, 4))
        self.targets = self.rows @ tf.constant([[1.0], [-2.0], [3.0], [0.5]]) + 0.1 * noise
        self.variables = [tf.Variable(tf.zeros((4, 1))), tf.Variable(0.0)]

    def step(self):
        """Changes the variables by the mean gradients of all ranks. Returns the loss of this rank before the change."""
        rank, ranks = hvd.rank(), hvd.size()
        mine = slice(rank * _ROWS // ranks, (rank + 1) * _ROWS // ranks)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self.rows[mine] @ self.variables[0] + self.variables[1] - self.targets[mine]) ** 2)
        gradients = hvd.DistributedGradientTape(tape).gradient(loss, self.variables)
        for variable, gradient in zip(self.variables, gradients):
            variable.assign_sub(0.1 * gradient)
        return loss
