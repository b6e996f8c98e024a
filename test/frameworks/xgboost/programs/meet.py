# SPDX-License-Identifier: Apache-2.0
"""meet.py [fail | own]: adds up ones over all ranks. fail: rank 1 fails in the first attempt. own: rank 0 runs the tracker."""

import os
import sys

import numpy
from xgboost import collective
from xgboost.tracker import RabitTracker

port, task = int(os.environ["DMLC_TRACKER_PORT"]), os.environ["DMLC_TASK_ID"]
ranks = int(os.environ["DMLC_NUM_WORKER"])
mode = sys.argv[1] if len(sys.argv) > 1 else ""
if mode == "own" and int(task) == 0:
    tracker = RabitTracker(n_workers=ranks, host_ip=os.environ["DMLC_TRACKER_URI"], port=port, sortby="task")
    tracker.start()
place = {"dmlc_tracker_uri": os.environ["DMLC_TRACKER_URI"], "dmlc_tracker_port": port, "dmlc_task_id": task}
with collective.CommunicatorContext(**place):
    assert collective.get_rank() == int(task)
    assert collective.allreduce(numpy.ones(1), collective.Op.SUM)[0] == ranks
    attempt = os.environ["MUSTER_ATTEMPT"]
    print(f"attempt {attempt}: rank {collective.get_rank()} of {collective.get_world_size()}, tracker {port}", flush=True)
    collective.allreduce(numpy.ones(1), collective.Op.SUM)
    if mode == "fail" and attempt == "1" and int(task) == 1:
        os._exit(3)
    if mode == "fail" and attempt == "1":
        collective.allreduce(numpy.ones(1), collective.Op.SUM)
