# SPDX-License-Identifier: Apache-2.0
"""tensorflow_first.py FOLDER: the workers of TF_CONFIG meet, and add a number up. FOLDER/RANK then has the time when this rank had passed
the sum, in the format of sides.py."""

import sys
import time
from pathlib import Path

import tensorflow as tf

strategy = tf.distribute.MultiWorkerMirroredStrategy()


@tf.function
def total():
    return strategy.reduce(tf.distribute.ReduceOp.SUM, strategy.run(lambda: tf.constant(1.0)), axis=None)


found = float(total())
passed = time.monotonic_ns()
assert found == strategy.num_replicas_in_sync
Path(sys.argv[1], str(strategy.cluster_resolver.task_id)).write_text(f"passed {passed}\n")
