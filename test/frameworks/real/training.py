# SPDX-License-Identifier: Apache-2.0
"""Jobs whose first rank prints a line for each epoch, as the programs of examples/jax and examples/tensorflow do."""

import json
import os
import re
import signal

from suite import PATIENCE
from waiting import wait_for

SHAPES = {"2 ranks": ["-n", "2"], "4 ranks": ["-n", "4"], "2 nodes of 2": ["--nodes", "2", "-n", "2"]}


def run(muster, *words):
    done = muster.start("run", *words).end(PATIENCE)
    assert done.code == 0, done
    return done


def epochs(text):
    """[(epoch, loss, accuracy)] of the printed lines."""
    return re.findall(r"epoch (\d+) loss (\S+) accuracy (\S+) %", text)


def reports(text):
    """The ranks' reports, in the order of their ranks."""
    found = [json.loads(line) for line in re.findall(r"report (\{.*\})", text)]
    return sorted(found, key=lambda facts: facts["rank"])


def run_with_a_kill(muster, index, *words):
    """Kills the rank at this index of the job's ranks after epoch 3; the job has one restart."""
    run = muster.start("run", "--restarts", "1", *words)
    wait_for(lambda: "epoch 3 " in run.out() or run.process.poll() is not None, lambda: f"epoch 3 of {run}", PATIENCE)
    os.kill(muster.job()["ranks"][index]["pid"], signal.SIGKILL)
    done = run.end(PATIENCE)
    assert done.code == 0, done
    assert muster.job()["attempt"] == 2
    return done
