"""Many jobs, one after the other and side by side: nothing piles up."""

import os
import signal

from processes import descriptors
from waiting import wait_for


def test_many_runs_leave_nothing_in_the_controller(muster):
    muster.env["MUSTER_IDLE"] = "20s"
    for _ in range(10):
        muster.ok("run", "-q", "-n", "8", "--", "/bin/true")
    controller = muster.controller()
    before = descriptors(controller)
    for _ in range(190):
        muster.ok("run", "-q", "-n", "8", "--", "/bin/true")
    assert muster.controller() == controller
    wait_for(lambda: descriptors(controller) <= before, lambda: f"{descriptors(controller)} descriptors to be {before} again")
    wait_for(lambda: not muster.processes("agent"), "the agents to leave")
    os.kill(controller, signal.SIGTERM)


def test_many_jobs_at_once(muster):
    names = [muster.submit("-n", "2", "--", "sh", "-c", f"echo job {n}") for n in range(20)]
    assert muster("wait", *names).code == 0
    for n, name in enumerate(names):
        assert sorted(muster.ok("logs", name).lines()) == [f"[0] job {n}", f"[1] job {n}"]
    muster.ok("rm", "--all")
    assert list((muster.state / "jobs").iterdir()) == []


def test_a_gang_of_64(muster):
    done = muster.ok("run", "-n", "64", "--", "sh", "-c", "echo $MUSTER_RANK")
    assert sorted(int(line.split()[-1]) for line in done.lines()) == list(range(64))
