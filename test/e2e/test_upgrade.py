# SPDX-License-Identifier: Apache-2.0
"""muster is replaced by another build while its controller, or a job, runs (docs/design/journal.md)."""

import os
import signal

from ranks import UNTIL_GO
from waiting import wait_for


def test_an_idle_controller_of_another_build_is_replaced(muster, own_program):
    muster.env["MUSTER_IDLE"] = "1m"
    muster.ok("run", "-q", "--name", "old", "--", "true")
    old = muster.controller()
    own_program()
    assert muster.ok("run", "--", "echo", "new").lines() == ["new"]
    assert muster.controller() != old
    assert muster.job("old")["state"] == "succeeded"
    os.kill(muster.controller(), signal.SIGTERM)


def test_a_controller_with_a_live_job_stays_and_serves(muster, own_program):
    muster.submit("--name", "through", "--", "sh", "-c", UNTIL_GO)
    before = muster.wait_for_ranks("through")["ranks"][0]["pid"]
    controller = muster.controller()
    own_program()
    assert muster.ok("run", "--", "echo", "new").lines() == ["new"]
    assert muster.controller() == controller
    assert muster.wait_for_ranks("through")["ranks"][0]["pid"] == before
    (muster.work / "go").write_text("")
    assert muster("wait", "through").code == 0


def test_a_new_build_takes_jobs_over(muster, own_program):
    muster.submit("--name", "through", "--", "sh", "-c", UNTIL_GO)
    before = muster.wait_for_ranks("through")["ranks"][0]["pid"]
    own_program()
    muster.kill_controller()
    assert muster.wait_for_ranks("through")["ranks"][0]["pid"] == before
    (muster.work / "go").write_text("")
    assert muster("wait", "through").code == 0
    assert muster.job("through")["attempt"] == 1


def test_a_restart_after_the_program_was_replaced(muster, own_program):
    muster.submit("--name", "again", "--restarts", "1", "--", "sh", "-c", "echo $MUSTER_ATTEMPT; until test -e go; do sleep 0.05; done")
    agent, _ = muster.agent_of(muster.wait_for_ranks("again")["ranks"][0]["pid"])
    own_program()
    os.kill(agent, signal.SIGKILL)
    muster.wait_for_ranks("again", attempt=2)
    (muster.work / "go").write_text("")
    assert muster("wait", "again").code == 0
    wait_for(lambda: muster.ok("logs", "again", "--attempt", "all").lines() == ["1", "2"], "both attempts' output")
