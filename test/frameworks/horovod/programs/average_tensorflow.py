# SPDX-License-Identifier: Apache-2.0
"""Linear regression with Horovod's DistributedGradientTape. Prints the mean losses. `kill`: rank 1 dies in the first attempt."""

import os
import signal
import sys

import horovod.tensorflow as hvd
from regression_tensorflow import Regression

hvd.init()
rank, ranks = hvd.rank(), hvd.size()
if "kill" in sys.argv and os.environ["MUSTER_ATTEMPT"] == "1" and rank == 1:
    os.kill(os.getpid(), signal.SIGKILL)
regression = Regression()
hvd.broadcast_variables(regression.variables, root_rank=0)
losses = [float(hvd.allreduce(regression.step(), name=f"loss-{step}")) for step in range(20)]
print(f"rank {rank} of {ranks}, {hvd.local_size()} here: " + " ".join(f"{loss:.3f}" for loss in losses[::5]), flush=True)
