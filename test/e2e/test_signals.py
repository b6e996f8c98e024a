# SPDX-License-Identifier: Apache-2.0
"""Signals to `muster run` without a terminal (docs/design/output.md)."""

import os
import signal

from ranks import SAVES


def test_sigint_and_sigterm_stop_the_job(muster):
    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        run = muster.start("run", "--", "sh", "-c", SAVES).says("ready")
        done = run.signal(number).end()
        assert (done.code, done.lines()) == (code, ["ready", "saving"])
        assert muster.job()["state"] == "cancelled"


def test_a_second_sigint_kills(muster):
    script = "trap '' INT TERM; echo ready; while :; do sleep 0.05; done"
    run = muster.start("run", "--timeout-stop", "1h", "--", "sh", "-c", script).says("ready")
    run.signal(signal.SIGINT).says("stop")
    assert run.signal(signal.SIGINT).end().code == 130


def test_sigint_while_queued(muster):
    muster.submit("--name", "first", "--cpus", len(os.sched_getaffinity(0)), "--", "sleep", "600")
    run = muster.start("run", "--cpus", "1", "--", "true").says("waits")
    assert run.signal(signal.SIGINT).end().code == 130
    assert muster.job("@last")["state"] == "cancelled"
    muster.ok("kill", "first")
    muster.wait_for_state("cancelled", "first")


def test_sighup_detaches(muster):
    script = "echo ready; until test -e go; do sleep 0.05; done; echo after"
    run = muster.start("run", "--name", "goes-on", "--", "sh", "-c", script).says("ready")
    run.signal(signal.SIGHUP).end()
    assert muster.job("goes-on")["state"] == "running"
    (muster.work / "go").write_text("")
    assert muster("wait", "goes-on").code == 0
    assert muster.ok("logs", "goes-on").lines() == ["ready", "after"]


def test_a_killed_run_detaches(muster):
    run = muster.start("run", "--", "sh", "-c", "echo ready; until test -e go; do sleep 0.05; done").says("ready")
    run.signal(signal.SIGKILL).end()
    (muster.work / "go").write_text("")
    assert muster("wait", "@last").code == 0


def test_signals_to_a_viewer_leave_the_job_alone(muster):
    name = muster.submit("--", "sh", "-c", "echo ready; until test -e go; do sleep 0.05; done")
    for words in (["attach", name], ["logs", "-f", name]):
        viewer = muster.start(*words).says("ready").signal(signal.SIGINT).end()
        assert viewer.code == 130
        assert f"continues.  muster attach {name}" in viewer.err
    assert muster.start("events", "-f", name).says("1 rank").signal(signal.SIGTERM).end().code in (0, 143)
    assert muster.job(name)["state"] == "running"
    (muster.work / "go").write_text("")
    assert muster("wait", name).code == 0
