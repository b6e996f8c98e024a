# SPDX-License-Identifier: Apache-2.0
"""Trains the network of train.py asynchronously: parameter servers hold the weights, workers compute gradients.

The same program runs in all tasks; TF_CONFIG says which one it is. The chief hands out the batches. Workers and
parameter servers serve until they are ended.
"""

import argparse

import tensorflow as tf

import digits


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--rate", type=float, default=0.2, help="learning rate (default 0.2)")
    parser.add_argument("--checkpoints", default=digits.CHECKPOINTS, help="folder to resume from (default %(default)s)")
    return parser.parse_args()


def serve(cluster):
    server = tf.distribute.Server(cluster.cluster_spec(), job_name=cluster.task_type, task_index=cluster.task_id,
                                  protocol=cluster.rpc_layer or "grpc")
    server.join()


def train(cluster, arguments):
    strategy = tf.distribute.ParameterServerStrategy(cluster)
    coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
    (images, labels), test = digits.load()
    with strategy.scope():
        network = digits.Network()
        epochs = tf.Variable(0, trainable=False)

    @tf.function
    def step(x, y):
        def replica():
            gradients, loss = digits.gradients_of(network, x, y)
            for variable, gradient in zip(network.trainable_variables, gradients):
                variable.assign_sub(arguments.rate * gradient)
            return loss
        return strategy.run(replica)

    checkpoints = tf.train.CheckpointManager(tf.train.Checkpoint(network=network, epochs=epochs), arguments.checkpoints, 2)
    checkpoints.restore_or_initialize()
    tasks = cluster.cluster_spec().as_dict()
    print(f"{len(tasks['worker'])} workers, {len(tasks['ps'])} parameter servers, TensorFlow {tf.__version__}", flush=True)
    if epochs.numpy():
        print(f"resuming after epoch {epochs.numpy()}", flush=True)
    for epoch in range(epochs.numpy(), arguments.epochs):
        results = [coordinator.schedule(step, args=(tf.constant(images[batch]), tf.constant(labels[batch])))
                   for batch in digits.batches(epoch, labels)]
        losses = coordinator.fetch(results)
        epochs.assign_add(1)
        checkpoints.save()
        print(f"epoch {epoch + 1} loss {sum(losses) / len(losses):.3f} accuracy {digits.accuracy(network, *test):.1f} %",
              flush=True)


def main():
    arguments = parse_arguments()
    cluster = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    if cluster.task_type in ("worker", "ps"):
        serve(cluster)
    else:
        train(cluster, arguments)


if __name__ == "__main__":
    main()
