# SPDX-License-Identifier: Apache-2.0
"""Trains XGBoost on the handwritten digits of scikit-learn, over all ranks of the job.

Each rank has its part of the rows. XGBoost adds up the histograms of all ranks, so every rank ends with the same model, and the
metric is that of a run with one rank.
"""

import argparse
import contextlib
import os

import numpy
import xgboost
from sklearn.datasets import load_digits
from xgboost import collective

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--rounds", type=int, default=40)
parser.add_argument("--checkpoint", help="the model to resume from; default: .checkpoints/JOB.json in a job of muster")
options = parser.parse_args()
# The id is the same in every attempt of a job and different in the next job.
checkpoint = options.checkpoint or (f".checkpoints/{os.environ['MUSTER_JOB_ID']}.json" if "MUSTER_JOB_ID" in os.environ else "")

# XGBoost takes the place of a rank as arguments. Without a launcher there is one rank.
names = ("DMLC_TRACKER_URI", "DMLC_TRACKER_PORT", "DMLC_TASK_ID")
place = {name.lower(): os.environ[name] for name in names if name in os.environ}
if "dmlc_tracker_port" in place:
    place["dmlc_tracker_port"] = int(place["dmlc_tracker_port"])


class Save(xgboost.callback.TrainingCallback):
    """Rank 0 writes the model every ten rounds. A restart continues from it."""

    def after_iteration(self, model, epoch, evals_log):
        if checkpoint and collective.get_rank() == 0 and model.num_boosted_rounds() % 10 == 0:
            os.makedirs(os.path.dirname(checkpoint) or ".", exist_ok=True)
            model.save_model(checkpoint + ".new.json")
            os.replace(checkpoint + ".new.json", checkpoint)
        return False


with collective.CommunicatorContext(**place) if place else contextlib.nullcontext():
    rank, ranks = collective.get_rank(), collective.get_world_size()
    images, digits = load_digits(return_X_y=True)
    order = numpy.random.default_rng(1).permutation(len(digits))
    test, train = order[:360], order[360:]
    mine = train[rank::ranks]
    begun = xgboost.Booster(model_file=checkpoint) if os.path.exists(checkpoint) else None
    rounds = options.rounds - (begun.num_boosted_rounds() if begun else 0)
    data = xgboost.DMatrix(images[mine], digits[mine])
    model = xgboost.train({"objective": "multi:softmax", "num_class": 10, "tree_method": "hist", "max_depth": 4}, data, rounds,
                          xgb_model=begun, callbacks=[Save()])
    right = model.predict(xgboost.DMatrix(images[test])) == digits[test]
    if rank == 0:
        print(f"{ranks} ranks, {model.num_boosted_rounds()} rounds: {right.mean():.4f} of the test images are right", flush=True)
