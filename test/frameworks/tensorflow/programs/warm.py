# SPDX-License-Identifier: Apache-2.0
"""Prints everything in which a forked TensorFlow rank could differ from an executed one: seeds, threads, numbers."""

import sys

before = set(sys.modules)

import json  # noqa: E402
import os  # noqa: E402
import random  # noqa: E402

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402


def trained(strategy):
    """The loss of a variable that all replicas train together."""
    with strategy.scope():
        weight = tf.Variable([1.0, 2.0, 3.0])

    @tf.function
    def step():
        def replica():
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.sin(weight) ** 2)
            gradient = tf.distribute.get_replica_context().all_reduce(tf.distribute.ReduceOp.MEAN, tape.gradient(loss, weight))
            weight.assign_sub(0.1 * gradient)
            return loss
        return strategy.reduce(tf.distribute.ReduceOp.SUM, strategy.run(replica), axis=None)
    return [float(step()) for _ in range(5)]


def main():
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    drawn = [random.random(), np.random.rand(), float(tf.random.uniform(()))]
    large = tf.ones((600, 600))
    facts = {"rank": strategy.cluster_resolver.task_id, "early": "tensorflow" in before, "drawn": drawn,
             "seeded": tf.random.stateless_normal((3,), [1, 2]).numpy().tolist(),
             "threads": [tf.config.threading.get_intra_op_parallelism_threads(), os.environ.get("OMP_NUM_THREADS")],
             "product": float(tf.reduce_sum(large @ large)), "loss": trained(strategy)}
    os.write(1, f"report {json.dumps(facts)}\n".encode())


main()
