# SPDX-License-Identifier: Apache-2.0
"""A node is drained: its ranks are asked to save, and an attempt that ends this way is not a success."""

import os
import signal

import pytest

from waiting import wait_for

SAVES = "trap 'echo saved; exit 0' TERM; echo > ready$MUSTER_ATTEMPT; until test -e go; do sleep 0.05; done"
ORDERLY_ENDS = {"agent": signal.SIGTERM, "guardian": signal.SIGKILL}


def end_orderly(muster, victim):
    muster.wait_for_file("ready1")
    agent, guardian = muster.agent_of(muster.wait_for_ranks("victim")["ranks"][0]["pid"])
    os.kill(guardian if victim == "guardian" else agent, ORDERLY_ENDS[victim])


@pytest.mark.parametrize("victim", ORDERLY_ENDS)
def test_ranks_that_save_because_their_node_goes_have_not_succeeded(muster, victim):
    muster.submit("--name", "victim", "--", "sh", "-c", SAVES)
    end_orderly(muster, victim)
    assert muster("wait", "victim").code == 1
    assert muster.ok("logs", "victim", "--stream", "out").lines() == ["saved"]  # the shell reports its `sleep` on stderr


@pytest.mark.parametrize("victim", ORDERLY_ENDS)
def test_ranks_that_save_because_their_node_goes_come_again(muster, victim):
    muster.submit("--name", "victim", "--restarts", "1", "--", "sh", "-c", SAVES)
    end_orderly(muster, victim)
    wait_for((muster.work / "ready2").exists, lambda: f"attempt 2: {muster.ok('events', 'victim')}")
    (muster.work / "go").write_text("")
    assert muster("wait", "victim").code == 0
