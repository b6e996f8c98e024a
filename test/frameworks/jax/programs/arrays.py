# SPDX-License-Identifier: Apache-2.0
"""A program with NumPy alone: prints everything in which a forked rank could differ from an executed one."""

import sys

before = set(sys.modules)

import json  # noqa: E402
import os  # noqa: E402

import numpy as np  # noqa: E402

seeded, large = np.random.default_rng(5), np.ones((600, 600))
facts = {"rank": int(os.environ["MUSTER_RANK"]), "early": "numpy" in before, "seeded": seeded.normal(size=4).tolist(),
         "product": float((large @ large).sum()), "inverse": float(np.linalg.inv(np.eye(200) * 3).trace()),
         "threads": len(os.listdir("/proc/self/task")), "drawn": [np.random.rand(), np.random.default_rng().random()]}
os.write(1, f"report {json.dumps(facts)}\n".encode())
