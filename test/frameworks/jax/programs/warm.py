# SPDX-License-Identifier: Apache-2.0
"""Prints everything in which a forked JAX rank could differ from an executed one: seeds, threads, numbers."""

import sys

before = set(sys.modules)

import json  # noqa: E402
import os  # noqa: E402
import random  # noqa: E402

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax.experimental import multihost_utils  # noqa: E402


def main():
    jax.distributed.initialize()
    rank = jax.process_index()
    drawn = np.asarray(jax.random.normal(jax.random.key(3), (4,))).tolist()  # JAX has no state of its own
    large = jnp.ones((600, 600)) * (rank + 1)
    total = multihost_utils.process_allgather((large @ large).sum())
    facts = {"rank": rank, "early": "jax" in before, "drawn": drawn, "product": float(total.sum()),
             "random": [random.random(), np.random.rand()], "threads": os.environ.get("OMP_NUM_THREADS"),
             "gradient": float(jax.grad(lambda x: jnp.sin(x).sum())(jnp.arange(8.0))[3])}
    os.write(1, f"report {json.dumps(facts)}\n".encode())


main()
