# SPDX-License-Identifier: Apache-2.0
"""A task of type evaluator: it takes no part in the training, and has the cluster's addresses."""

import os

import tensorflow as tf

cluster = tf.distribute.cluster_resolver.TFConfigClusterResolver()
assert (cluster.task_type, cluster.task_id) == ("evaluator", 0)
strategy = tf.distribute.MultiWorkerMirroredStrategy()
tasks = ", ".join(sorted(cluster.cluster_spec().jobs))
os.write(1, f"evaluator sees {tasks} and {strategy.num_replicas_in_sync} replica\n".encode())
