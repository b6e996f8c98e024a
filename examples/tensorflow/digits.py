# SPDX-License-Identifier: Apache-2.0
"""scikit-learn's handwritten digits and a small network for them, for both programs of this folder."""

import os

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits

BATCH = 128
CHECKPOINTS = os.path.join(".checkpoints", os.environ.get("MUSTER_JOB_ID", "by-hand"))  # one folder for each run


class Network(tf.Module):
    def __init__(self):
        super().__init__()
        first, second = (tf.random.stateless_normal(shape, [1, 2]) * 0.1 for shape in ((64, 128), (128, 10)))
        self.hidden, self.bias, self.output = tf.Variable(first), tf.Variable(tf.zeros(128)), tf.Variable(second)

    def __call__(self, images):
        return tf.nn.relu(images @ self.hidden + self.bias) @ self.output


def load():
    """1,408 images for training, which are 11 batches, and 384 for the test: (images, labels) of each."""
    images, labels = load_digits(return_X_y=True)
    images, labels = (images / 16).astype(np.float32), labels.astype(np.int32)
    return (images[:1408], labels[:1408]), (images[1408:1792], labels[1408:1792])


def batches(epoch, labels):
    """The positions of the images of each batch, in an order that only the epoch decides."""
    return np.random.default_rng(epoch).permutation(len(labels)).reshape(-1, BATCH)


def gradients_of(network, images, labels):
    """The gradients of this part of a batch, and its share of the batch's mean loss."""
    with tf.GradientTape() as tape:
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, network(images))
        loss = tf.reduce_sum(losses) / BATCH
    return tape.gradient(loss, network.trainable_variables), loss


def accuracy(network, images, labels):
    """In percent."""
    return 100 * np.mean(np.argmax(network(images), 1) == labels)
