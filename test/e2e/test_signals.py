"""What signals do to `muster run` without a terminal (DESIGN.md §9.9), and to jobs hosted in the command itself."""

import os
import signal

import pytest

from leaks import names_in, runtime_folder
from processes import alive, processes_of
from waiting import wait_for

SAVES = "trap 'echo saving; exit 0' TERM; echo $$ > rank; echo ready; while :; do sleep 0.05; done"


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
        muster.start(*words).says("ready").signal(signal.SIGINT).end()
    assert muster.start("events", "-f", name).says("running: ").signal(signal.SIGTERM).end().code in (0, 143)
    assert muster.job(name)["state"] == "running"
    (muster.work / "go").write_text("")
    assert muster("wait", name).code == 0


def test_standalone_needs_no_controller(muster):
    done = muster.ok("run", "--standalone", "-n", "2", "--", "echo", "here")
    assert sorted(done.lines()) == ["[0] here", "[1] here"]
    assert not muster.processes("serve")
    assert muster("run", "--standalone", "--propagate", "--", "sh", "-c", "exit 5").code == 5
    assert muster.ok("ps", "-a", "-o", "json").json()["jobs"][0]["state"] == "succeeded"


def test_standalone_is_seen_from_outside(muster):
    run = muster.start("run", "--standalone", "--name", "inside", "--", "sh", "-c", "echo ready; until test -e go; do sleep 0.05; done").says("ready")
    assert muster.ok("ps", "-o", "name").lines() == ["inside"]
    assert muster.job("inside")["state"] == "running"
    assert muster.ok("logs", "inside").lines() == ["ready"]
    assert "running" in muster.ok("events", "inside").out
    (muster.work / "go").write_text("")
    assert run.end().code == 0
    wait_for(lambda: muster.job("inside")["state"] == "succeeded", "the end to be seen")


@pytest.mark.parametrize("number, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, None)])
def test_signals_stop_a_standalone_job(muster, number, code):
    run = muster.start("run", "--standalone", "--", "sh", "-c", SAVES).says("ready")
    done = run.signal(number).end()
    assert done.lines() == ["ready", "saving"]
    assert done.code == code or (code is None and done.code != 0)
    assert muster.job()["state"] == "cancelled"


def test_a_killed_standalone_takes_agents_and_ranks_with_it(muster):
    script = "trap '' TERM HUP INT; echo ready; while :; do sleep 0.05; done"
    run = muster.start("run", "--standalone", "--nodes", "2", "-n", "2", "--", "sh", "-c", script)
    run.says("[3] ready")
    ours = set(processes_of(muster.home))
    run.signal(signal.SIGKILL).process.wait()
    wait_for(lambda: not [pid for pid in ours if alive(pid)], "agents and ranks to be gone")
    assert not muster.processes("serve")
    job = muster.job()
    assert job["done"] and job["state"] == "failed"
    assert muster.ok("run", "--standalone", "--", "echo", "next").lines() == ["next"]
    assert not [name for name in names_in(runtime_folder()) if name == f"standalone-{run.pid}.sock"]
