# SPDX-License-Identifier: Apache-2.0
"""The state folder: its disk is full, or a job's folder is deleted; and the folder in which ranks start."""

import shutil

import pytest

from explained import ended, explains, go
from waiting import wait_for

FULL = """$M submit -q --name full -- sh -c 'head -c 20000000 /dev/zero 2>/dev/null; echo > filled; until test -e go; do sleep 0.05; done'
until test -e filled; do sleep 0.05; done
date +%s%N > injected
$M run -- true; echo refused with $? at $(date +%s%N)
$M ps -o name
touch go
$M wait full; echo full ended with $?
$M rm full
$M run -q -- echo there is room; echo at $(date +%s%N)"""


@pytest.mark.row(21, "the state folder's disk is full")
def test_a_full_disk_refuses_new_jobs_and_keeps_those_it_has(muster, fault, on_small_disk):
    out, err = on_small_disk(FULL)
    refusal = next(line for line in out.splitlines() if line.startswith("refused with 8 at "))
    assert "the disk is full" in err, err
    assert "full\n" in out and "full ended with 0" in out and "there is room" in out, out + err
    fault.injected_at(muster.wait_for_file("injected"))
    fault.reached("detect", "name", at=int(refusal.split()[-1]))
    fault.note = "a refusal with code 8; `rm` made room"


@pytest.mark.row(57, "a job's folder is deleted while it runs")
def test_a_folder_that_is_deleted_under_its_job(muster, fault):
    muster.env["MUSTER_IDLE"] = "5s"
    for name in ("victim", "other"):
        muster.submit("--name", name, "--", "sh", "-c", f"echo {name}; until test -e go; do sleep 0.05; done")
        muster.wait_for_ranks(name)
    folder = muster.folder("victim")
    fault.inject(shutil.rmtree, folder)
    assert muster.job("victim")["state"] == "running"
    waiting = muster.start("wait", "victim")
    go(muster)
    assert "victim  succeeded" in waiting.end().err
    assert ended(muster, "other", 0) and muster.ok("logs", "other").lines() == ["other"]
    muster.kill_controller()  # which may still remember
    for command in ("why", "events", "describe", "logs"):
        done = muster(command, "victim")
        said = f"{folder} was removed, so nothing is known about the job"
        assert done.code == 5 and (said in done.err or "there is no job `victim`" in done.err), done
    fault.reached("detect", "name")
    assert muster.ok("logs", "other").lines() == ["other"]
    assert muster("rm", "victim").code in (0, 5)
    assert muster.ok("ps", "-a", "-o", "name").lines() == ["other"]


@pytest.mark.row(57, "the folder in which ranks start is deleted")
def test_a_workdir_that_is_gone_at_the_restart(muster, fault):
    folder = muster.work / "run"
    folder.mkdir()
    wait = "echo x > ../up; until test -e ../go; do sleep 0.05; done; exit 1"
    muster.submit("--name", "victim", "--restarts", 1, "--", "sh", "-c", wait, cwd=folder)
    muster.wait_for_file("up")
    folder.rmdir()
    fault.inject(go, muster)
    cause = f"rank 0 could not be started: workdir {folder} does not exist"
    assert f"failed: {cause}" in ended(muster, "victim", 1)["sentence"]
    fault.read(muster, "victim", named=cause, recovered=None)
    explains(muster, "victim", cause)


@pytest.mark.row(57, "the whole state folder is deleted while a job runs")
def test_a_state_folder_that_is_deleted_under_its_controller(muster, fault):
    muster.submit("--name", "victim", "--", "sh", "-c", "echo x > up; until test -e go; do sleep 0.05; done; echo x > finished")
    muster.wait_for_file("up")
    agent, _ = muster.agent_of(muster.wait_for_ranks("victim")["ranks"][0]["pid"])
    fault.inject(shutil.rmtree, muster.state)
    muster("ps")
    go(muster)
    muster.wait_for_file("finished")
    wait_for(lambda: agent not in muster.processes("agent"), "the agent to leave")
    assert muster.ok("run", "-q", "--", "echo", "again").lines() == ["again"]
    fault.reached("recover")
