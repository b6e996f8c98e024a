# SPDX-License-Identifier: Apache-2.0
"""The example examples/xgboost/train.py; rank 1 is killed in round 25 of the first attempt, after the checkpoint of
round 20."""

import os
import runpy
import signal
from pathlib import Path

import xgboost

Callbacks = xgboost.callback.CallbackContainer
before, after = Callbacks.before_training, Callbacks.after_iteration
attempt, rank = os.environ["MUSTER_ATTEMPT"], os.environ["MUSTER_RANK"]


def before_training(self, model):
    if rank == "0":
        print(f"attempt {attempt} begins after {model.num_boosted_rounds()} rounds", flush=True)
    return before(self, model)


def after_iteration(self, model, epoch, *rest):
    ended = after(self, model, epoch, *rest)
    if attempt + rank == "11" and epoch == 25:
        os.kill(os.getpid(), signal.SIGKILL)
    return ended


Callbacks.before_training, Callbacks.after_iteration = before_training, after_iteration
runpy.run_path(str(Path(__file__).parents[4] / "examples" / "xgboost" / "train.py"), run_name="__main__")
