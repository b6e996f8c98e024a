# SPDX-License-Identifier: Apache-2.0
"""Linear regression of TensorFlow in hvd.elastic.run. Prints the mean losses, and the attempts in which the process trained. An argument
N kills the rank with this index in the middle of the first attempt, and `sync:N` before it gets the state in the second one."""

import os
import signal
import sys

import horovod.tensorflow as hvd
import tensorflow as tf
from regression_tensorflow import Regression
from tensorflow_state import VariablesState

began = os.environ["MUSTER_ATTEMPT"]
hvd.init()
regression = Regression()


@hvd.elastic.run
def train(state):
    while state.step < 20:
        if state.step == 10 and os.environ["MUSTER_ATTEMPT"] == "1" and os.environ["MUSTER_INDEX"] in sys.argv:
            os.kill(os.getpid(), signal.SIGKILL)
        state.losses = [*state.losses, float(hvd.allreduce(regression.step(), name="loss"))]
        state.made = state.made + os.environ["MUSTER_ATTEMPT"]
        state.step += 1
        state.commit()


class State(VariablesState):
    def sync(self):
        if os.environ["MUSTER_ATTEMPT"] == "2" and f"sync:{os.environ['MUSTER_INDEX']}" in sys.argv:
            os.kill(os.getpid(), signal.SIGKILL)
        super().sync()


state = State(regression.variables, step=0, losses=[], made="")
train(state)
hvd.allreduce(tf.zeros(1), name="end")
made = " ".join(f"{attempt}*{state.made.count(attempt)}" for attempt in sorted(set(state.made)))
print(f"index {os.environ['MUSTER_INDEX']}, rank {hvd.rank()} of {hvd.size()}, pid {os.getpid()}, attempts {began}-{os.environ['MUSTER_ATTEMPT']}, "
      f"steps {made}: " + " ".join(f"{loss:.3f}" for loss in state.losses[::5]), flush=True)
