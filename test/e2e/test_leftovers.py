# SPDX-License-Identifier: Apache-2.0
"""Processes that an attempt leaves when one of its ranks ends: other ranks, daemons, grandchildren."""

import pytest

from processes import alive
from ranks import DAEMON
from waiting import wait_for


def script(text):
    return ["--", "sh", "-c", text]


def test_a_survivor_gets_its_grace_and_then_sigkill(muster):
    survivor = "trap 'echo asked' TERM; echo > ready; while :; do sleep 0.05; done"
    failing = "until test -e ready; do sleep 0.05; done; exit 3"
    done = muster("run", "-n", "2", "--grace", "200ms", *script(f"test $MUSTER_RANK = 1 || {{ {survivor}; }}; {failing}"))
    assert done.code == 1
    assert done.lines() == ["[0] asked"]
    assert muster.job()["ranks"][0]["exit"]["sentence"].startswith("was killed by SIGKILL")
    assert "failed: rank 1 exited with code 3" in done.err


def test_a_survivor_may_end_well_within_its_grace(muster):
    survivor = "trap 'echo saved; exit 0' TERM; echo > ready; while :; do sleep 0.05; done"
    done = muster("run", "-n", "2", "--grace", "1m",
                  *script(f"test $MUSTER_RANK = 1 || {{ {survivor}; }}; until test -e ready; do sleep 0.05; done; exit 3"))
    assert (done.code, done.lines()) == (1, ["[0] saved"])


@pytest.mark.parametrize("code", [0, 1])
def test_a_daemon_that_a_rank_left_behind_is_gone(muster, code):
    assert muster("run", "--", "python3", "-c", DAEMON, str(code)).code == code
    pid = int((muster.work / "daemon").read_text())
    wait_for(lambda: not alive(pid), f"the daemon {pid} to be killed")


def test_a_daemon_does_not_live_into_the_next_attempt(muster):
    muster.write("first.py", DAEMON)
    second = 'test $MUSTER_ATTEMPT = 1 && exec python3 first.py 1; kill -0 $(cat daemon) 2>/dev/null && echo alive || echo gone'
    done = muster.ok("run", "--restarts", "1", *script(second))
    assert done.lines() == ["gone"]


def test_grandchildren_of_a_rank_end_with_it(muster):
    muster("run", *script("sleep 60 & sh -c 'sleep 61 & echo $! > grandchild; wait' & until test -s grandchild; do sleep 0.05; done; exit 1"))
    pid = int((muster.work / "grandchild").read_text())
    wait_for(lambda: not alive(pid), f"the grandchild {pid} to be killed")
