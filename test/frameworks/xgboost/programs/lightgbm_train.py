# SPDX-License-Identifier: Apache-2.0
"""LightGBM takes the addresses of its ranks as parameters: each rank has a part of the rows (tree_learner data)."""

import os

import lightgbm
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import roc_auc_score

rank, machines = int(os.environ["BOOST_RANK"]), os.environ["BOOST_MACHINES"]
ranks = machines.count(",") + 1
rows, labels = load_breast_cancer(return_X_y=True)
mine = slice(rank, 400, ranks)
parameters = {"objective": "binary", "tree_learner": "data", "machines": machines, "num_machines": ranks, "num_threads": 1,
              "local_listen_port": int(os.environ["BOOST_PORT"]), "time_out": 2, "verbosity": -1}
model = lightgbm.train(parameters, lightgbm.Dataset(rows[mine], labels[mine]), 20)
print(f"rank {rank} of {ranks}: {roc_auc_score(labels[400:], model.predict(rows[400:])):.6f}", flush=True)
