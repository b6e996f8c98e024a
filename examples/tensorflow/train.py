# SPDX-License-Identifier: Apache-2.0
"""Trains a small network on scikit-learn's digits with MultiWorkerMirroredStrategy.

A plain script: the strategy finds the other workers in TF_CONFIG. It does not use muster. Each worker computes the
gradients of its part of each batch, and the strategy adds them up.
"""

import argparse

import tensorflow as tf

import digits


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--rate", type=float, default=0.5, help="learning rate (default 0.5)")
    parser.add_argument("--checkpoints", default=digits.CHECKPOINTS, help="folder to resume from (default %(default)s)")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    cluster = strategy.cluster_resolver
    has_chief = "chief" in cluster.cluster_spec().jobs
    is_first = cluster.task_type == "chief" or (not has_chief and cluster.task_id in (None, 0))
    (images, labels), test = digits.load()
    with strategy.scope():
        network = digits.Network()
        epochs = tf.Variable(0, trainable=False)

    def part(rows):
        """The rows of a batch that this replica computes."""
        return strategy.experimental_distribute_values_from_function(
            lambda context: tf.constant(rows[context.replica_id_in_sync_group::context.num_replicas_in_sync]))

    @tf.function
    def step(x, y):
        def replica(x, y):
            gradients, loss = digits.gradients_of(network, x, y)
            total = tf.distribute.get_replica_context().all_reduce(tf.distribute.ReduceOp.SUM, gradients)
            for variable, gradient in zip(network.trainable_variables, total):
                variable.assign_sub(arguments.rate * gradient)
            return loss
        return strategy.reduce(tf.distribute.ReduceOp.SUM, strategy.run(replica, args=(x, y)), axis=None)

    checkpoints = tf.train.CheckpointManager(tf.train.Checkpoint(network=network, epochs=epochs), arguments.checkpoints, 2)
    checkpoints.restore_or_initialize()
    if is_first:
        print(f"{strategy.num_replicas_in_sync} replicas, TensorFlow {tf.__version__}", flush=True)
        if epochs.numpy():
            print(f"resuming after epoch {epochs.numpy()}", flush=True)
    for epoch in range(epochs.numpy(), arguments.epochs):
        losses = [float(step(part(images[batch]), part(labels[batch]))) for batch in digits.batches(epoch, labels)]
        epochs.assign_add(1)
        if is_first:
            checkpoints.save()
            print(f"epoch {epoch + 1} loss {sum(losses) / len(losses):.5f} accuracy {digits.accuracy(network, *test):.1f} %",
                  flush=True)


if __name__ == "__main__":
    main()
