# SPDX-License-Identifier: Apache-2.0
"""Trains XGBoost on scikit-learn's digits, as a rank of muster, or as N processes beside a tracker: xgboost_train.py [N]."""

import multiprocessing
import os
import sys

import numpy
import xgboost
from sklearn.datasets import load_digits
from xgboost import collective
from xgboost.tracker import RabitTracker


def train(place):
    with collective.CommunicatorContext(**place):
        rank, ranks = collective.get_rank(), collective.get_world_size()
        images, digits = load_digits(return_X_y=True)
        data = xgboost.DMatrix(images[rank::ranks], digits[rank::ranks])
        model = xgboost.train({"objective": "multi:softmax", "num_class": 10, "max_depth": 4, "nthread": 1}, data, 20)
        right = numpy.mean(model.predict(xgboost.DMatrix(images)) == digits)  # a DMatrix is a collective
        if rank == 0:
            print(f"right {right:.4f}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        ranks = int(sys.argv[1])
        tracker = RabitTracker(n_workers=ranks, host_ip="127.0.0.1", sortby="task")
        tracker.start()
        places = [tracker.worker_args() | {"dmlc_task_id": str(rank)} for rank in range(ranks)]
        processes = [multiprocessing.Process(target=train, args=(place,)) for place in places]
        for process in processes:
            process.start()
        for process in processes:
            process.join()
        sys.exit(max(process.exitcode for process in processes))
    train({"dmlc_tracker_uri": os.environ["DMLC_TRACKER_URI"], "dmlc_tracker_port": int(os.environ["DMLC_TRACKER_PORT"]),
           "dmlc_task_id": os.environ["DMLC_TASK_ID"]})
