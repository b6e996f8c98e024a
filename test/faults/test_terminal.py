# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C, a hang-up, a closed window. test/firstday tests every key in a terminal."""

import os
import signal

import pexpect
import pytest

from explained import ended, go
from ranks import SAVES
from waiting import PATIENCE, wait_for

GOES_ON = "echo ready; until test -e go; do sleep 0.05; done; echo after"


@pytest.fixture
def terminal(muster):
    children = []

    def start(*words):
        child = pexpect.spawn(muster.binary, list(words), env=muster.env, cwd=str(muster.work), dimensions=(30, 100), timeout=PATIENCE, encoding="utf-8")
        children.append(child)
        child.expect_exact("ready")
        return child
    yield start
    for child in children:
        child.close(force=True)


@pytest.mark.row(46, "Ctrl-C, then s: stop")
def test_ctrl_c_asks_and_s_lets_the_rank_save(muster, fault, terminal):
    child = terminal("run", "--name", "asked", "--", "sh", "-c", SAVES)
    fault.inject(child.sendintr)
    child.expect_exact("d detach")
    fault.reached("detect", "name")
    child.send("s")
    child.expect_exact("saving")
    child.expect(pexpect.EOF)
    child.wait()  # close() would signal it after 0.1 s
    fault.reached("recover")
    child.close()
    assert child.exitstatus == 130
    assert muster.job("asked")["sentence"].startswith("cancelled: stopped by the user")


@pytest.mark.row(46, "the window is closed")
def test_a_window_that_is_closed_detaches(muster, fault, terminal):
    child = terminal("run", "--name", "kept", "--", "sh", "-c", GOES_ON)
    fault.inject(child.ptyproc.fileobj.close)
    wait_for(lambda: not child.isalive(), "the command to leave")
    fault.reached("detect")
    assert muster.job("kept")["state"] == "running"
    go(muster)
    ended(muster, "kept", 0)
    assert muster.ok("logs", "kept").lines() == ["ready", "after"]


@pytest.mark.row(46, "{} without a terminal")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_signals_without_a_terminal(muster, fault, number):
    run = muster.start("run", "--name", "told", "--", "sh", "-c", f"trap 'echo saving; exit 0' TERM; {GOES_ON}").says("ready")
    fault.inject(run.signal, number)
    done = run.end()
    fault.reached("recover")
    if number == signal.SIGHUP:
        assert muster.job("told")["state"] == "running"
        go(muster)
        ended(muster, "told", 0)
    else:
        assert (done.code, done.lines()) == (128 + number, ["ready", "saving"]), done
        assert muster.job("told")["sentence"].startswith("cancelled: stopped by the user")
        assert "cancelled" in done.err.splitlines()[-1] or "cancelled" in done.err.splitlines()[-2], done


@pytest.mark.row(46, "the shell that started it is killed")
def test_a_killed_shell_takes_nothing_with_it(muster, fault):
    run = muster.start("run", "--name", "kept", "--", "sh", "-c", GOES_ON, start_new_session=True).says("ready")
    fault.inject(os.killpg, run.pid, signal.SIGKILL)
    run.end()
    fault.reached("detect")
    go(muster)
    ended(muster, "kept", 0)
