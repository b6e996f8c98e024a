# SPDX-License-Identifier: Apache-2.0
"""Ranks that run and make no progress; test/slow/test_hangs.py has cases that only look like a hang."""

import os
import signal
from datetime import datetime
from pathlib import Path

import pytest

from explained import ended, explains, first_attempt
from processes import alive, status
from waiting import wait_for

PROBE = Path(os.environ["MUSTER_BINARY"]).with_name("worker_probe")
FIRST_WAITS = "import os, select\nos.environ['MUSTER_ATTEMPT'] == '2' or select.select([], [], [], 1000)"
# The parent of vfork(2) waits, and reacts to no signal but SIGKILL, until its child has executed. Here the child waits for a writer of the fifo.
DEEP_WAIT = """
import os
open('pid', 'w').write(f'{os.getpid()}\\n')
os.posix_spawn('/bin/true', ['true'], os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 0, 'fifo', os.O_RDONLY, 0)])
while not os.path.exists('go'): os.system('sleep 0.05')
"""


def nanoseconds(time):
    return int(datetime.fromisoformat(time.replace("Z", "+00:00")).timestamp() * 1e9)


@pytest.mark.row(4, "a rank is stopped (SIGSTOP), hangs.action restart")
def test_a_stopped_rank_is_named_and_the_gang_begins_anew(muster, fault):
    muster.submit("--name", "stopped", "-n", 2, "--restarts", 1, "--set", "hangs.action=restart", "--", "python3", "-c", FIRST_WAITS)
    job = muster.wait_for_ranks("stopped")
    fault.inject(os.kill, job["ranks"][1]["pid"], signal.SIGSTOP)
    ended(muster, "stopped", 0)
    fault.read(muster, "stopped", named="rank 1 is stopped by a signal")
    attempt = first_attempt(muster, "stopped", 1, "rank 1 is stopped by a signal (SIGSTOP or the like)")
    assert "thread" in attempt["stack"]
    explains(muster, "stopped", "rank 1 is stopped by a signal", "thread")


@pytest.mark.row(6, "two ranks call all_reduce with different sizes")
def test_ranks_whose_calls_do_not_fit_are_named(muster, fault):
    muster.submit("--name", "mismatch", "-n", 2, "--", PROBE, *"on 0 reduce 1024 , on 1 reduce 2048".split())
    job = ended(muster, "mismatch", 1)
    said = "disagree at collective #1: rank 0 calls all_reduce of 1024 × float32 (sum), rank 1 calls all_reduce of 2048 × float32 (sum)"
    fault.injected_at(nanoseconds(job["attempts"][0]["running"]))
    fault.read(muster, "mismatch", named=said, recovered=None)
    fault.note = "from the start of the ranks"
    explains(muster, "mismatch", said)


@pytest.mark.row(6, "a rank does not come to a barrier")
def test_a_rank_that_does_not_come_is_named_with_the_barrier(muster, fault):
    muster.submit("--name", "absent", "-n", 2, "--set", "hangs.after=10s", "--", PROBE, *"watch , on 0 barrier end 600 , until-stop".split())
    began = muster.wait_for_ranks("absent")["attempts"][0]["running"]
    hang = wait_for(lambda: muster.job("absent").get("hang"), "the verdict")
    assert "barrier `end` waits for rank 1" in hang["sentence"], hang
    fault.injected_at(nanoseconds(began))
    fault.read(muster, "absent", named="barrier `end` waits for rank 1", recovered=None)
    fault.note = "hangs.after is 10 s here"
    explains(muster, "absent", "barrier `end` waits for rank 1")
    muster.ok("stop", "absent")


@pytest.mark.row(7, "a rank makes 0.4 of the others' steps")
def test_a_slow_rank_is_shown_and_left_alone(muster, fault):
    def steps(each):
        return " ".join(f"progress {n} 0 0 , rest {each} ," for n in range(1, int(40 / each)))[:-2]
    fast, slow = f"exec {PROBE} {steps(0.2)}", f"exec {PROBE} {steps(0.5)}"
    muster.submit("--name", "slow", "-n", 3, "--restarts", 1, "--", "sh", "-c", f"test $MUSTER_RANK = 1 && {slow} || {fast}")
    fault.injected_at(nanoseconds(muster.wait_for_ranks("slow")["attempts"][0]["running"]))
    told = wait_for(lambda: "slow: 0." in (text := muster.ok("describe", "slow").out) and text, "the slow rank")
    fault.reached("detect", "name")
    assert "rank 1" in next(line for line in told.splitlines() if "slow: 0." in line)
    assert muster.job("slow")["attempt"] == 1
    muster.ok("stop", "slow")
    ended(muster, "slow", 130)


@pytest.mark.row(8, "a rank waits in the kernel, state D")
def test_a_wait_that_no_signal_ends_is_shown_and_the_agent_goes_on(muster, fault):
    os.mkfifo(muster.work / "fifo")
    muster.write("deep.py", DEEP_WAIT)
    muster.submit("--name", "deep", "--", "python3", "deep.py")
    pid = int(muster.wait_for_file("pid"))
    wait_for(lambda: status(pid, "State").startswith("D"), "state D")
    fault.injected_at((muster.work / "pid").stat().st_mtime_ns)
    told = wait_for(lambda: "in I/O for" in (text := muster.ok("describe", "deep").out) and text, "the wait to be shown")
    fault.reached("detect", "name")
    assert "rank 0" in next(line for line in told.splitlines() if "in I/O for" in line)
    fault.note = "vfork's parent instead of a disk; muster counts whole looks"
    muster.ok("stop", "deep", "--grace", "300ms")
    assert "rank 0 did not end within 300 ms and was killed" in ended(muster, "deep", 130)["sentence"]
    assert not alive(pid)


@pytest.mark.row(8, "a rank comes out of state D again")
def test_a_wait_that_ends_is_no_fault(muster, fault):
    os.mkfifo(muster.work / "fifo")
    muster.write("deep.py", DEEP_WAIT)
    muster.submit("--name", "deep", "--set", "hangs.action=restart", "--restarts", 1, "--", "python3", "deep.py")
    pid = int(muster.wait_for_file("pid"))
    wait_for(lambda: status(pid, "State").startswith("D"), "state D")
    with fault.inject(open, muster.work / "fifo", "w"):
        wait_for(lambda: not status(pid, "State").startswith("D"), "the rank to go on")
    fault.reached("recover")
    (muster.work / "go").write_text("")
    assert ended(muster, "deep", 0)["attempt"] == 1
