# SPDX-License-Identifier: Apache-2.0
"""Many jobs, in sequence and in parallel: nothing accumulates."""

import os
import signal

from processes import descriptors
from waiting import wait_for


def test_many_runs_leave_nothing_in_the_controller(muster):
    muster.env["MUSTER_IDLE"] = "10m"
    for _ in range(10):
        muster.ok("run", "-q", "-n", "8", "--", "/bin/true")
    controller = muster.controller()
    before = descriptors(controller)
    for _ in range(190):
        muster.ok("run", "-q", "-n", "8", "--", "/bin/true")
    assert muster.controller() == controller
    wait_for(lambda: descriptors(controller) <= before, lambda: f"{descriptors(controller)} descriptors to be {before} again")
    muster("rm", "--idle")
    wait_for(lambda: not muster.processes("agent"), "the agents to leave")
    names = muster.ok("ps", "-a", "-o", "name").lines()
    assert len(set(names)) == len(names) == 200
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


def test_jobs_under_a_controller_that_keeps_dying(muster):
    script = "for i in 1 2 3 4 5; do echo $MUSTER_ATTEMPT $i; sleep 0.1; done; exit $((2 - MUSTER_ATTEMPT))"
    names = [muster.submit("--restarts", "1", "-n", "2", "--", "sh", "-c", script) for _ in range(8)]
    for _ in range(8):
        muster.kill_controller()
        muster.ok("ps")
    assert muster("wait", *names).code == 0
    expected = [f"[{rank}] {attempt} {i}" for rank in (0, 1) for attempt in (1, 2) for i in range(1, 6)]
    for name in names:
        assert muster.job(name)["attempt"] == 2
        assert set(muster.ok("logs", name, "--attempt", "all").lines()) <= set(expected)
        assert sorted(muster.ok("logs", name).lines()) == [line for line in expected if " 2 " in line[:7]]


def test_a_stop_at_any_moment(muster):
    for _ in range(12):
        name = muster.submit("--restarts", "1000", "--", "sh", "-c", "sleep 0.05; exit 1")
        muster.ok("stop", name, "--grace", "0s")
        assert muster("wait", name).code != 0
        assert muster.job(name)["state"] == "cancelled"
