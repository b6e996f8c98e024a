# SPDX-License-Identifier: Apache-2.0
"""`muster top`: a live view of jobs, with and without a terminal."""

import os
import signal
import subprocess

import pexpect
import pytest

from waiting import PATIENCE, wait_for

WORKS = "echo line one; until test -e go; do :; done"
WAITS = "until test -e go; do sleep 0.05; done"


pytestmark = pytest.mark.usefixtures("no_job_left")


@pytest.fixture
def top(muster):
    """`muster top` in a terminal of 110 columns and 24 rows."""
    children = []

    def start(*arguments, env=None, columns=110):
        words = ["top", "-d", "200ms", *map(str, arguments)]
        child = pexpect.spawn(muster.binary, words, env=muster.env | {"TERM": "xterm"} | (env or {}), cwd=str(muster.home),
                              dimensions=(24, columns), timeout=PATIENCE, encoding="utf-8")
        children.append(child)
        return child
    yield start
    for child in children:
        child.close(force=True)


@pytest.fixture
def jobs(muster):
    muster.submit("--name", "busy", "-n", "2", "--", "sh", "-c", WORKS)
    muster.submit("--name", "idle", "--", "sh", "-c", WAITS)
    for name in ("busy", "idle"):
        muster.wait_for_ranks(name)


def code_of(child):
    child.expect(pexpect.EOF)
    child.wait()  # close() would signal it after 0.1 s
    child.close()
    return child.exitstatus


def test_jobs_and_what_they_use_are_shown(jobs, top):
    child = top("--count", "1000", env={"NO_COLOR": "1"})
    child.expect_exact("\x1b[?1049h")
    child.expect(r"idle +running +1 +1 ")
    child.expect(r"busy +running +1 +2 +– +– +0 +[1-9]\d* %  +\d.* [KM]iB")
    child.send("q")
    child.expect_exact("\x1b[?1049l")
    assert code_of(child) == 0


def test_a_job_is_found_opened_and_left(jobs, top):
    child = top(env={"NO_COLOR": "1"})
    child.send("/bus\r")
    child.expect_exact("with `bus`")
    child.expect(r"busy +running")  # without jobs, Enter has no effect
    child.send("\r")
    child.expect_exact("LAST LINE")
    child.expect(r"rank 1 +\S+ +running +\d+ ")
    child.expect_exact("line one")
    child.expect_exact("TIMELINE")
    child.send("o")
    child.expect_exact("the last lines of rank 0")
    child.send("qq")
    child.expect_exact("NAME")
    child.send("q")
    assert code_of(child) == 0


def test_a_job_is_stopped_when_asked_twice(muster, jobs, top):
    child = top()
    child.expect_exact("idle")  # without jobs, `x` has no effect
    child.send("/idle\r")
    child.expect_exact("with `idle`")
    child.send("x")
    child.expect_exact("stop idle?")
    child.send("y")
    assert muster("wait", "idle").code != 0
    child.expect_exact("cancelled")
    assert muster.job("busy")["state"] == "running"


def test_keys_sort_and_help(jobs, top):
    child = top()
    child.expect_exact("AGE▾")
    child.send(">")
    child.expect_exact("WHERE▾")
    child.send("r")
    child.expect_exact("WHERE▴")
    child.send("?")
    child.expect_exact("press any key to continue")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGSEGV])
def test_the_terminal_is_put_back_however_it_ends(muster, jobs, number):
    words = f"stty -a | sha1sum; {muster.binary} top; stty -a | sha1sum; echo end"
    child = pexpect.spawn("sh", ["-c", words], env=muster.env | {"TERM": "xterm"}, cwd=str(muster.home), timeout=PATIENCE, encoding="utf-8")
    child.expect("([0-9a-f]{40})")
    before = child.match.group(1)
    child.expect_exact("busy")
    os.kill(muster.processes("top")[0], number)
    child.expect_exact("\x1b[?1049l")
    child.expect("([0-9a-f]{40})")
    assert child.match.group(1) == before
    child.close()


def test_ctrl_z_stops_it_and_fg_brings_it_back(muster, jobs):
    child = pexpect.spawn("bash", ["--norc", "-i"], env=muster.env | {"TERM": "xterm", "PS1": "$ ", "HISTFILE": ""}, cwd=str(muster.home), timeout=PATIENCE, encoding="utf-8")
    child.sendline(f"{muster.binary} top")
    child.expect_exact("busy")
    child.send("\x1a")
    child.expect_exact("\x1b[?1049l")
    child.expect_exact("Stopped")
    child.sendline("fg")
    child.expect_exact("\x1b[?1049h")
    child.expect_exact("busy")
    child.send("q")
    child.expect_exact("\x1b[?1049l")
    child.sendline("echo still $((40 + 2))")
    child.expect_exact("still 42")
    child.close(force=True)


def test_a_controller_that_is_killed_is_told_and_the_next_one_awaited(muster, jobs, top):
    child = top()
    child.expect_exact("busy")
    os.kill(muster.controller(), signal.SIGKILL)
    child.expect_exact("the controller is gone")
    muster.ok("ps")
    child.expect_exact("a new controller has taken over")
    child.expect_exact("running")
    child.send("q")
    assert code_of(child) == 0


def test_a_controller_that_does_not_answer_holds_no_key_up(muster, jobs, top):
    child = top()
    child.expect_exact("busy")
    pid = muster.controller()
    os.kill(pid, signal.SIGSTOP)
    try:
        child.send("?")
        child.expect_exact("press any key to continue")
    finally:
        os.kill(pid, signal.SIGCONT)


def test_a_window_that_changes_is_drawn_anew(jobs, top):
    child = top()
    child.expect_exact("WHERE")
    child.setwinsize(10, 40)

    def frame():
        child.expect_exact("\x1b[H")
        child.expect_exact("NAME")
        child.expect(r"\x1b\[J")
        return child.before
    wait_for(lambda: "WHERE" not in frame(), "a frame that fits")  # frames of the old size may still arrive


def test_without_a_terminal_it_is_a_snapshot(muster, jobs):
    lines = muster.ok("top").lines()
    assert lines[0].split()[:2] == ["NAME", "STATE"]
    busy = next(line for line in lines if line.startswith("busy"))
    assert "running" in busy and "%" in busy and "iB" in busy
    assert muster.ok("top", "--once").lines()[0] == lines[0]


def test_for_programs_it_is_json(muster, jobs):
    def used():
        jobs_ = {job["name"]: job for job in muster.ok("top", "--once", "-o", "json").json()["jobs"]}
        busy, idle = jobs_["busy"]["ranks"], jobs_["idle"]["ranks"]
        assert all(rank["memory_bytes"] > 0 for rank in busy + idle)
        return busy[0]["cpu_percent"] > idle[0]["cpu_percent"]
    wait_for(used, "the busy rank to use more than the idle one")  # on a busy machine it gets the rest


def test_as_many_looks_as_asked_for(muster, jobs):
    done = muster.ok("top", "-n", "3", "-d", "100ms")
    assert sum(line.startswith("NAME") for line in done.lines()) == 3


def test_only_while_somebody_looks(muster, jobs):
    muster.ok("top", "--once")
    wait_for(lambda: not any("memory_bytes" in rank for rank in muster.job("busy")["ranks"]), "nothing to be measured any more")


def test_no_jobs_and_mistakes(muster):
    done = muster.ok("top")
    assert done.out == "" and "no jobs" in done.err
    assert muster("top", "-d", "soon").code == 2
    refused = muster("top", "-n", "0")
    assert refused.code == 2 and "-n needs a number of at least 1" in refused.err, refused
    assert subprocess.run([muster.binary, "top", "--help"], env=muster.env, capture_output=True, check=True).stdout
