# SPDX-License-Identifier: Apache-2.0
"""Trains a small network on scikit-learn's handwritten digits with JAX, on all devices of all processes.

A plain script: jax.distributed.initialize() without arguments finds the other processes. It does not use muster. Each
process keeps its part of each batch; XLA averages the gradients, because the weights are the same everywhere.
"""

import argparse
import os

import jax
import jax.numpy as jnp
import numpy as np
import orbax.checkpoint as ocp
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from sklearn.datasets import load_digits

BATCH = 128


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--rate", type=float, default=0.5, help="learning rate (default 0.5)")
    parser.add_argument("--checkpoints", default=os.path.join(".checkpoints", os.environ.get("MUSTER_JOB_ID", "by-hand")),
                        help="folder to resume from (default %(default)s)")
    return parser.parse_args()


def network():
    first, second = jax.random.split(jax.random.key(1))
    return {"hidden": jax.random.normal(first, (64, 128)) * 0.1, "bias": jnp.zeros(128),
            "output": jax.random.normal(second, (128, 10)) * 0.1}


def scores(weights, images):
    return jax.nn.relu(images @ weights["hidden"] + weights["bias"]) @ weights["output"]


def loss_of(weights, images, labels):
    return -jnp.take_along_axis(jax.nn.log_softmax(scores(weights, images)), labels[:, None], 1).mean()


@jax.jit
def step(weights, images, labels, rate):
    loss, gradient = jax.value_and_grad(loss_of)(weights, images, labels)
    return jax.tree.map(lambda weight, change: weight - rate * change, weights, gradient), loss


@jax.jit
def right_of(weights, images, labels):
    return (scores(weights, images).argmax(1) == labels).mean()


def main():
    arguments = parse_arguments()
    jax.distributed.initialize()
    mesh = Mesh(np.array(jax.devices()), "data")
    everywhere, by_row = NamedSharding(mesh, PartitionSpec()), NamedSharding(mesh, PartitionSpec("data"))

    def shared(rows):
        """Rows that all processes have in memory, as one array: each device gets its part."""
        return jax.make_array_from_callback(rows.shape, by_row, lambda part: rows[part])

    images, labels = load_digits(return_X_y=True)
    images, labels = (images / 16).astype(np.float32), labels.astype(np.int32)
    train, test = slice(0, 1408), slice(1408, 1792)  # 11 and 3 batches
    weights = jax.device_put(network(), everywhere)
    if jax.process_index() == 0:
        print(f"{jax.process_count()} processes, {len(jax.devices())} devices ({jax.default_backend()}), "
              f"JAX {jax.__version__}", flush=True)

    with ocp.CheckpointManager(os.path.abspath(arguments.checkpoints)) as checkpoints:
        done = checkpoints.latest_step() or 0
        if done:
            weights = checkpoints.restore(done, args=ocp.args.StandardRestore(weights))
            if jax.process_index() == 0:
                print(f"resuming after epoch {done}", flush=True)
        for epoch in range(done, arguments.epochs):
            order = np.random.default_rng(epoch).permutation(train.stop)
            losses = []
            for batch in order.reshape(-1, BATCH):
                weights, loss = step(weights, shared(images[batch]), shared(labels[batch]), arguments.rate)
                losses.append(float(loss))
            right = float(right_of(weights, shared(images[test]), shared(labels[test])))
            checkpoints.save(epoch + 1, args=ocp.args.StandardSave(weights))
            checkpoints.wait_until_finished()
            if jax.process_index() == 0:
                print(f"epoch {epoch + 1} loss {np.mean(losses):.5f} accuracy {100 * right:.1f} %", flush=True)


if __name__ == "__main__":
    main()
