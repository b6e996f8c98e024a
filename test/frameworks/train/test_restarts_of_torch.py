# SPDX-License-Identifier: Apache-2.0
"""A rank that ends unexpectedly ends only its attempt: the gang restarts, meets in a new store, and continues from its checkpoint."""

import os
import signal
from pathlib import Path

import pytest
from launched import PATIENCE, reports
from waiting import wait_for

KILLS, STEPS = 20, 42
AT_ONCE = ("-n", "2", "--restarts", KILLS, "--set", "restarts.backoff.first=0s", "--set", "restarts.backoff.then=1ms..1ms")


def wait_until_ready(run, folder, attempt):
    """The pids of both ranks, once they have passed this attempt's checkpoint and are in their collectives."""
    files = [Path(folder) / f"ready-{attempt}-{rank}" for rank in range(2)]
    wait_for(lambda: run.process.poll() is not None or all(file.exists() for file in files), lambda: f"attempt {attempt} of {run}", PATIENCE)
    assert run.process.poll() is None, run.end()
    return [int(file.read_text()) for file in files]


@pytest.mark.row("PyTorch", "torch", "DDP resumes from its checkpoint after each of 20 killed ranks; 21 attempts, the loss of a run without kills")
def test_twenty_killed_ranks_cost_twenty_attempts(launch, muster):
    undisturbed = launch("resuming.py", launch.scratch(), STEPS, 0, flags=("-n", "2"))
    folder = launch.scratch()
    run = muster.start(*launch.command("resuming.py", folder, STEPS, KILLS, flags=AT_ONCE))
    for attempt in range(1, KILLS + 1):
        os.kill(wait_until_ready(run, folder, attempt)[attempt % 2], signal.SIGKILL)
    done = run.end(PATIENCE)
    assert done.code == 0, done
    job, found = muster.job(), reports(done.out)
    assert (job["attempt"], job["restarts"]) == (KILLS + 1, KILLS)
    assert [facts["attempt"] for facts in found] == [KILLS + 1] * 2
    assert len(undisturbed[0]["losses"]) == STEPS
    assert [facts["losses"] for facts in found] == [undisturbed[0]["losses"]] * 2
