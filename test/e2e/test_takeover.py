# SPDX-License-Identifier: Apache-2.0
"""The controller is killed and the next one takes over its jobs: no rank is restarted and no byte is lost (docs/design/journal.md)."""

import os
import signal

from processes import alive
from ranks import FLOOD, UNTIL_GO, flood_of
from waiting import wait_for


def test_a_new_controller_takes_the_job_over(muster):
    muster.submit("--name", "through", "-n", "2", "--", "sh", "-c", UNTIL_GO)
    before = muster.wait_for_ranks("through")
    muster.kill_controller()
    assert all(alive(rank["pid"]) for rank in before["ranks"])
    assert "through" in muster.ok("ps").out
    after = muster.wait_for_ranks("through")
    assert [rank["pid"] for rank in after["ranks"]] == [rank["pid"] for rank in before["ranks"]]
    (muster.work / "go").write_text("")
    assert muster("wait", "through").code == 0
    assert muster.job("through")["attempt"] == 1
    assert sorted(muster.ok("logs", "through").lines()) == ["[0] after", "[0] before", "[1] after", "[1] before"]


def test_a_job_that_ended_meanwhile_is_known(muster):
    muster.submit("--name", "meanwhile", "--", "sh", "-c", UNTIL_GO + "; exit 3")
    pid = muster.wait_for_ranks("meanwhile")["ranks"][0]["pid"]
    muster.kill_controller()
    (muster.work / "go").write_text("")
    wait_for(lambda: not alive(pid), "the rank to end")
    assert muster("wait", "--propagate", "meanwhile").code == 3
    assert "exited with code 3" in muster.job("meanwhile")["sentence"]
    assert muster.ok("logs", "meanwhile").lines() == ["before", "after"]


def test_a_failure_meanwhile_restarts_once_somebody_is_there(muster):
    script = "echo attempt $MUSTER_ATTEMPT; until test -e go$MUSTER_ATTEMPT; do sleep 0.05; done; exit $((2 - MUSTER_ATTEMPT))"
    muster.submit("--name", "again", "--restarts", "1", "--", "sh", "-c", script)
    pid = muster.wait_for_ranks("again")["ranks"][0]["pid"]
    muster.kill_controller()
    (muster.work / "go1").write_text("")
    (muster.work / "go2").write_text("")
    wait_for(lambda: not alive(pid), "the rank to end")
    assert muster("wait", "again").code == 0
    assert muster.job("again")["attempt"] == 2


TWO_HALVES = FLOOD + """
print("x", file=open("half", "w"))
while not os.path.exists("go"):
    os.system("sleep 0.05")
size = int(sys.argv[1])
while size > 0:
    size -= os.write(1, block[:size])
"""


def test_an_attached_run_reconnects_and_loses_no_byte(muster):
    size = 8 << 20
    run = muster.start("run", "--", "python3", "-c", TWO_HALVES, str(size))
    muster.wait_for_file("half")
    muster.kill_controller()
    (muster.work / "go").write_text("")
    done = run.end()
    assert done.code == 0
    assert done.raw == flood_of(0, size) * 2
    assert muster.job()["attempt"] == 1


def test_a_controller_killed_again_and_again_under_a_flood(muster):
    lines = 3000
    script = f"for i in $(seq {lines}); do echo line $i; test $((i % 300)) != 0 || sleep 0.2; done"
    run = muster.start("run", "-n", "2", "--", "sh", "-c", script)
    for mark in (300, 900, 1500):
        run.says(f"[0] line {mark}\n")
        muster.kill_controller()
    done = run.end()
    assert done.code == 0
    for rank in (0, 1):
        assert [line for line in done.lines() if line.startswith(f"[{rank}]")] == [f"[{rank}] line {i}" for i in range(1, lines + 1)]


def test_a_queued_job_survives_the_controller(muster):
    cpus = len(os.sched_getaffinity(0))
    muster.submit("--name", "first", "--cpus", cpus, "--", "sh", "-c", "until test -e go; do sleep 0.05; done")
    muster.wait_for_ranks("first")
    muster.submit("--name", "second", "--cpus", "1", "--", "echo", "at last")
    muster.kill_controller()
    assert muster.job("second")["state"] == "queued"
    (muster.work / "go").write_text("")
    assert muster("wait", "first", "second").code == 0


def test_sigterm_to_the_controller_leaves_its_jobs_running(muster):
    muster.submit("--name", "through", "--", "sh", "-c", UNTIL_GO)
    pid = muster.wait_for_ranks("through")["ranks"][0]["pid"]
    controller = muster.controller()
    os.kill(controller, signal.SIGTERM)
    wait_for(lambda: not alive(controller), "the controller to leave")
    assert alive(pid)
    assert muster.wait_for_ranks("through")["ranks"][0]["pid"] == pid
    (muster.work / "go").write_text("")
    assert muster("wait", "through").code == 0
