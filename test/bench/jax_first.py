# SPDX-License-Identifier: Apache-2.0
"""jax_first.py FOLDER [ADDRESS COUNT ID]: JAX's processes meet, and sum an array over all of them. With three more words they are passed
to jax.distributed.initialize(). FOLDER/RANK then has the time when this rank had passed the sum, in the format of sides.py."""

import sys
import time
from pathlib import Path

import jax
import jax.numpy as jnp
from jax.experimental import multihost_utils

folder, *place = sys.argv[1:]
jax.distributed.initialize(*(place[:1] + [int(word) for word in place[1:]]))
found = multihost_utils.process_allgather(jnp.ones(1))
passed = time.monotonic_ns()
assert found.sum() == jax.process_count()
Path(folder, str(jax.process_index())).write_text(f"passed {passed}\n")
