# SPDX-License-Identifier: Apache-2.0
"""Processes end in any order: attempts never overlap, and no process that a rank started outlives its job."""

import os
import signal
from pathlib import Path
from subprocess import DEVNULL, Popen

import pytest

from processes import alive, parent, status
from ranks import SAVES, UNTIL_GO
from waiting import wait_for

# Records its pid while it runs; ignores SIGTERM, so it runs until it is killed.
DEAF = """
import os, signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
with open('diary', 'a', buffering=1) as diary:
    while not os.path.exists('go'):
        diary.write(f"{os.environ['MUSTER_ATTEMPT']}\\n")
        os.system('sleep 0.05')
"""

# Its main thread ends, and another one runs on.
WITHOUT_MAIN_THREAD = """
import ctypes, os, platform, signal, threading
threading.Thread(target=signal.sigwait, args=[[signal.SIGUSR1]]).start()
print(os.getpid(), file=open('pid', 'w'), flush=True)
ctypes.CDLL(None).syscall({'x86_64': 60}.get(platform.machine(), 93), 0)
"""


def test_a_killed_guardian_is_waited_out(muster):
    muster.write("deaf.py", DEAF)
    muster.submit("--name", "deaf", "-n", "2", "--restarts", "1", "--", "python3", "deaf.py")
    ranks = [rank["pid"] for rank in muster.wait_for_ranks("deaf")["ranks"]]
    wait_for(lambda: (muster.work / "diary").exists(), "the ranks to write")
    os.kill(muster.agent_of(ranks[0])[1], signal.SIGKILL)
    muster.wait_for_ranks("deaf", attempt=2)
    (muster.work / "go").write_text("")
    assert muster("wait", "deaf").code == 0
    diary = (muster.work / "diary").read_text().split()
    assert diary == sorted(diary), "attempt 1 wrote on after attempt 2 had begun"


@pytest.mark.parametrize("child", ["sh child.sh", "python3 child.py"], ids=["a shell", "a process without its main thread"])
def test_what_ranks_started_does_not_outlive_agent_and_guardian(muster, child):
    """Agent and guardian are killed together, so neither can sweep: the controller finds leftover processes by the job's mark."""
    muster.write("child.sh", "echo $$ > pid; until test -e go; do sleep 0.05; done")
    muster.write("child.py", WITHOUT_MAIN_THREAD)
    muster.submit("--name", "tree", "--restarts", "0", "--", "sh", "-c", f"setsid {child}; until test -e go; do sleep 0.05; done")
    rank = muster.wait_for_ranks("tree")["ranks"][0]["pid"]
    child = int(muster.wait_for_file("pid"))
    agent, guardian = muster.agent_of(rank)
    os.kill(agent, signal.SIGSTOP)  # otherwise it would end its ranks itself when its guardian ends
    os.kill(guardian, signal.SIGKILL)
    os.kill(agent, signal.SIGKILL)
    wait_for(lambda: not Path(f"/proc/{child}/task").exists(), "the rank's child to be gone")
    assert muster("wait", "tree").code == 1


def test_an_agent_that_hangs_does_not_keep_its_job(muster):
    muster.submit("--name", "hangs", "--", "sleep", "600")
    rank = muster.wait_for_ranks("hangs")["ranks"][0]["pid"]
    agent = parent(rank)
    os.kill(agent, signal.SIGSTOP)
    muster.ok("kill", "hangs")
    assert muster("wait", "hangs").code != 0
    wait_for(lambda: not alive(rank) and not alive(agent), "agent and rank to be gone")


def test_a_stopped_agent_is_named_and_passes_a_stop_on(muster):
    muster.submit("--name", "dazed", "--", "sh", "-c", SAVES)
    agent = parent(int(muster.wait_for_file("rank")))
    os.kill(agent, signal.SIGSTOP)
    short = f"he agent (pid {agent}) is stopped by a signal, so its ranks are not watched"
    said = f"{short}; kill -CONT {agent} continues it"
    wait_for(lambda: short in muster.ok("ps").out, "ps to tell it")
    assert said in muster.ok("why", "dazed").out and said in muster.ok("describe", "dazed").out
    muster.ok("stop", "dazed")
    assert muster("wait", "dazed").code == 130
    assert muster.ok("logs", "dazed").lines()[-1] == "saving"


def test_an_agent_that_is_stopped_again_and_again_is_killed(muster):
    muster.submit("--name", "dazed", "--", "sleep", "600")
    rank = muster.wait_for_ranks("dazed")["ranks"][0]["pid"]
    agent = parent(rank)
    stopping = Popen(["timeout", "60", "sh", "-c", f"while kill -STOP {agent}; do :; done"], stderr=DEVNULL)
    wait_for(lambda: status(agent, "State").startswith("T"), "the agent to be stopped")
    muster.ok("stop", "dazed")
    assert muster("wait", "dazed").code == 130
    assert stopping.wait() != 124, "the agent is still there"
    assert not alive(rank)


def test_a_stopped_guardian_leaves_with_its_agent(muster):
    muster.submit("--name", "short", "--", "sh", "-c", UNTIL_GO, env={"MUSTER_IDLE": "1s"})
    guardian = muster.agent_of(muster.wait_for_ranks("short")["ranks"][0]["pid"])[1]
    os.kill(guardian, signal.SIGSTOP)
    (muster.work / "go").write_text("")
    assert muster("wait", "short").code == 0
    wait_for(lambda: not alive(guardian), "the guardian to be gone")


def test_a_controller_that_hangs_is_named(muster):
    muster.ok("run", "-q", "--", "true", env={"MUSTER_IDLE": "1m"})
    controller = muster.controller()
    os.kill(controller, signal.SIGSTOP)
    try:
        done = muster("ps")
    finally:
        os.kill(controller, signal.SIGCONT)
    assert done.code == 3
    assert f"the controller (pid {controller}) does not answer" in done.err and f"kill -CONT {controller}" in done.err
    muster.ok("ps", "-a")
    os.kill(controller, signal.SIGTERM)


def test_a_state_folder_that_was_removed_is_made_again(muster):
    muster.ok("run", "-q", "--", "true", env={"MUSTER_IDLE": "1m"})
    muster.shell(f"rm -rf {muster.state}")
    assert muster.ok("run", "-q", "--", "echo", "again").lines() == ["again"]
    os.kill(muster.controller(), signal.SIGTERM)


def test_the_limits_of_a_shell_are_its_own_jobs_only(muster):
    first = f"ulimit -n 256; nice -n 5 taskset -c 0 {muster.binary} run -q -- sh -c 'ulimit -Hn; nice; taskset -cp $$'"
    muster.env["MUSTER_IDLE"] = "1m"
    limited = muster.shell(first)
    assert limited.lines()[:2] == ["256", str(os.nice(0) + 5)] and limited.lines()[2].endswith(": 0"), limited
    ours = muster.shell("ulimit -Hn; nice; taskset -cp $$ | sed 's/.*: //'").lines()
    theirs = muster.ok("run", "-q", "--", "sh", "-c", "ulimit -Hn; nice; taskset -cp $$ | sed 's/.*: //'").lines()
    assert theirs == ours
    os.kill(muster.controller(), signal.SIGTERM)


def test_soft_limits_of_a_shell_are_its_own_jobs_only(muster):
    muster.env["MUSTER_IDLE"] = "1m"
    assert muster.shell(f"ulimit -S -v 8000000; {muster.binary} run -q -- sh -c 'ulimit -S -v'").lines() == ["8000000"]
    limits = Path(f"/proc/{muster.controller()}/limits").read_text()
    soft, hard = next(line for line in limits.splitlines() if line.startswith("Max address space")).split()[3:5]
    assert soft == hard
    theirs = muster.ok("run", "-q", "--", "sh", "-c", "ulimit -S -v").lines()
    assert theirs == muster.shell("ulimit -S -v").lines()
    os.kill(muster.controller(), signal.SIGTERM)


@pytest.mark.parametrize("limit, flag", [("--nofile=20", "-n"), ("--as=100000000", "-v"), ("--nproc=20", "-u"), ("--fsize=0", "-f")])
def test_a_limit_that_is_too_low_is_named(muster, limit, flag):
    done = muster.shell(f"prlimit {limit} {muster.binary} run -q --standalone -- true")
    assert done.code == 8 and f"Raise it: ulimit {flag} " in done.err, done


def test_nothing_of_the_shell_is_held_by_the_controller(muster):
    muster.env["MUSTER_IDLE"] = "1m"
    muster.shell(f"exec 9>lock; cd /tmp; {muster.binary} run -q -- true")
    controller = muster.controller()
    assert os.readlink(f"/proc/{controller}/cwd") == "/"
    folder = f"/proc/{controller}/fd"
    assert not [fd for fd in os.listdir(folder) if os.path.realpath(f"{folder}/{fd}") == str(muster.work / "lock")]
    os.kill(controller, signal.SIGTERM)
