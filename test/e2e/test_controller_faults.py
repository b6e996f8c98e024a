# SPDX-License-Identifier: Apache-2.0
"""Faults of a controller's socket, journal and index; and two controllers never run at once."""

import os
import re
import signal
from pathlib import Path

import pytest

from leaks import runtime_folder, socket_name
from processes import alive
from ranks import UNTIL_GO
from waiting import wait_for


def test_the_socket_deleted_under_a_controller(muster):
    muster.submit("--name", "through", "--", "sh", "-c", UNTIL_GO)
    muster.wait_for_ranks("through")
    (runtime_folder() / socket_name(muster.state)).unlink()
    assert muster.ok("ps", "-o", "name").lines() == ["through"]
    (muster.work / "go").write_text("")
    assert muster("wait", "through").code == 0
    assert muster.job("through")["attempt"] == 1


def test_a_viewer_survives_the_loss_of_the_socket(muster):
    muster.submit("--name", "through", "--", "sh", "-c", "echo ready; until test -e go; do sleep 0.05; done; echo end")
    logs = muster.start("logs", "-f", "through").says("ready")
    socket = runtime_folder() / socket_name(muster.state)
    socket.unlink()
    wait_for(socket.exists, "the socket to come back")
    (muster.work / "go").write_text("")
    assert logs.end().lines() == ["ready", "end"]


def test_the_ranks_socket_deleted_under_an_agent(muster):
    """It is back during the attempt, and before the ranks of the next attempt start."""
    muster.submit("--name", "one", "--restarts", "1", "--", "sh", "-c", """echo $MUSTER_SOCKET >socket$MUSTER_ATTEMPT
until test -e go$MUSTER_ATTEMPT; do sleep 0.05; done
test -S $MUSTER_SOCKET && exit $((2 - MUSTER_ATTEMPT))""")
    socket = Path(muster.wait_for_file("socket1").strip())
    socket.unlink()
    wait_for(socket.exists, "the socket to come back")
    (muster.work / "go1").write_text("")
    socket.unlink()  # the next attempt may start before the agent looks again
    assert muster.wait_for_file("socket2") == f"{socket}\n"
    assert socket.is_socket()
    (muster.work / "go2").write_text("")
    assert muster("wait", "one").code == 0, muster.ok("describe", "one")


def test_the_locks_deleted_under_a_controller(muster):
    """No second controller starts, and the job is neither started twice nor lost."""
    muster.submit("--name", "one", "--restarts", "1", "--", "sh", "-c", "echo $MUSTER_ATTEMPT >>diary; until test -e go$MUSTER_ATTEMPT; do sleep 0.05; done; exit $((2 - MUSTER_ATTEMPT))")
    muster.wait_for_ranks("one")
    controller = muster.controller()
    lock, owner = muster.state / "lock", muster.folder("one") / "owner"
    for path in (lock, owner, runtime_folder() / socket_name(muster.state)):
        path.unlink()
    second = muster("serve")
    # its pid is named unless the new controller looked before the first one had written its lock again
    assert second.code == 6 and re.search(rf"another controller( \(pid {controller}\))? already serves", second.err), second
    assert muster.job("one")["state"] == "running"
    wait_for(lambda: lock.exists() and lock.read_text() == f"{controller}\n" and owner.exists() and not owner.read_text(), "the locks to come back")
    (muster.work / "go1").write_text("")
    muster.wait_for_ranks("one", attempt=2)
    (muster.work / "go2").write_text("")
    assert muster("wait", "one").code == 0
    assert (muster.work / "diary").read_text().split() == ["1", "2"]
    assert muster.processes("serve") in ([controller], [])


def test_a_controller_whose_state_folder_was_taken_over_leaves_its_jobs_to_the_other(muster):
    muster.submit("--name", "one", "--", "sh", "-c", "echo >>diary; until test -e go; do sleep 0.05; done")
    muster.wait_for_ranks("one")
    first = muster.controller()
    os.kill(first, signal.SIGSTOP)
    muster.shell(f"cp -a {muster.state} {muster.state}.copy && mv {muster.state} {muster.state}.old && mv {muster.state}.copy {muster.state}")
    (runtime_folder() / socket_name(muster.state)).unlink()
    muster.ok("ps")
    os.kill(first, signal.SIGCONT)
    wait_for(lambda: not alive(first), "the first controller to leave")
    (muster.work / "go").write_text("")
    assert muster("wait", "one").code == 0
    assert (muster.work / "diary").read_text().split("\n") == ["", ""]
    muster.shell(f"rm -r {muster.state}.old")


def test_a_stale_socket_is_no_obstacle(muster):
    muster.ok("run", "-q", "--", "true")
    muster.kill_controller()
    assert muster.ok("run", "--", "echo", "again").lines() == ["again"]


def test_two_commands_at_once_start_one_controller(muster):
    runs = [muster.start("run", "-q", "--", "echo", "x") for _ in range(6)]
    assert [run.end().lines() for run in runs] == [["x"]] * 6
    wait_for(lambda: len(muster.processes("serve")) <= 1, "all controllers but one to leave")
    assert len(muster.ok("ps", "-o", "name").lines()) == 6


def test_a_torn_journal_line_is_no_obstacle(muster):
    muster.ok("run", "-q", "--name", "torn", "--", "echo", "x")
    muster.kill_controller()
    with open(muster.state / "jobs" / next((muster.state / "jobs").iterdir()).name / "journal", "ab") as journal:
        journal.write(b'{"half a li')
    assert muster.job("torn")["state"] == "succeeded"


def test_the_index_is_rebuilt_when_it_is_lost(muster):
    muster.ok("run", "-q", "--name", "kept", "--", "echo", "x")
    muster.kill_controller()
    (muster.state / "index.sqlite").write_bytes(b"this is no database")
    assert muster.ok("ps", "-a", "-o", "name").lines() == ["kept"]
    muster.kill_controller()
    (muster.state / "index.sqlite").unlink()
    assert muster.ok("logs", "kept").lines() == ["x"]


@pytest.mark.alone  # a controller exits after 10 ms: a command that waits for a CPU meets more of them than it has tries
def test_commands_that_meet_a_leaving_controller(muster):
    muster.env["MUSTER_IDLE"] = "10ms"
    for _ in range(25):
        for command in [muster.start("ps") for _ in range(4)]:
            assert command.end().code == 0, command
