# SPDX-License-Identifier: Apache-2.0
"""Processes of muster are killed: agent, guardian, both, the controller, a command; or there are two of them."""

import contextlib
import os
import select
import signal
import time

import pytest

from explained import ended, explains, go
from leaks import process_key, runtime_folder
from processes import alive
from waiting import PATIENCE, wait_for

COUNTS = """
import os
done = lambda: os.path.exists('go') and os.environ['MUSTER_ATTEMPT'] == '2'
number = 0
while not done():
    os.write(1, b'line %d\\n' % number)
    number += 1
    os.system('sleep 0.01')
"""
STUBBORN = "trap '' TERM HUP INT; echo attempt $MUSTER_ATTEMPT; until test -e go; do sleep 0.05; done"
VICTIMS = {"agent": lambda agent, guardian: [agent], "guardian": lambda agent, guardian: [guardian],
           "agent and guardian": lambda agent, guardian: [agent, guardian]}


def kill(*pids):
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):  # a guardian ends with its agent
            os.kill(pid, signal.SIGKILL)


def ends(pids):
    """For processes that run now: returns a function that waits for their end and returns the time of the last end."""
    handles = [os.pidfd_open(pid) for pid in pids]

    def wait():
        for handle in handles:
            assert select.select([handle], [], [], PATIENCE)[0], f"one of {pids} lives"
            os.close(handle)
        return time.time_ns()
    return wait


@pytest.mark.parametrize("victims", [pytest.param(name, marks=pytest.mark.row(10 if name == "agent" else 11, "{} killed")) for name in VICTIMS], ids=VICTIMS)
def test_the_ranks_of_a_node_go_with_who_watches_them(muster, fault, victims):
    muster.submit("--name", "orphaned", "-n", 2, "--restarts", 1, "--", "sh", "-c", STUBBORN)
    ranks = [rank["pid"] for rank in muster.wait_for_ranks("orphaned")["ranks"]]
    wait_for(lambda: len(muster.ok("logs", "orphaned").lines()) == 2, "the ranks to be deaf")
    last_end = ends(ranks)
    agent, guardian = muster.agent_of(ranks[0])
    fault.inject(kill, *VICTIMS[victims](agent, guardian))
    gone = (last_end() - fault.began) / 1e6
    assert not {rank["pid"] for rank in muster.wait_for_ranks("orphaned", attempt=2)["ranks"]} & set(ranks)
    # The same controller continues and removes what the killed processes could not; this is not left to the next controller.
    wait_for(lambda: not (runtime_folder() / f"agent-{process_key(guardian)}.sock").exists(), "the dead agent's socket to go")
    go(muster)
    ended(muster, "orphaned", 0)
    fault.read(muster, "orphaned", named="restarting, attempt 2 of 2")
    fault.note = f"its ranks were gone after {gone:.0f} ms"
    cause = muster.job("orphaned")["attempts"][0]["cause"]
    named = "was killed by SIGKILL: its node was drained: its guardian died" if victims == "guardian" else "was lost"
    assert named in cause, cause
    explains(muster, "orphaned", cause)


@pytest.mark.row(10, "an agent is killed while its rank writes")
def test_no_byte_is_lost_with_an_agent(muster, fault):
    muster.write("counts.py", COUNTS)
    muster.submit("--name", "writer", "--restarts", 1, "--", "python3", "counts.py")
    rank = muster.wait_for_ranks("writer")["ranks"][0]["pid"]
    wait_for(lambda: "line 20\n" in muster.ok("logs", "writer").out, "some lines")
    fault.inject(kill, muster.agent_of(rank)[0])
    muster.wait_for_ranks("writer", attempt=2)
    go(muster)
    ended(muster, "writer", 0)
    fault.read(muster, "writer", named="restarting, attempt 2 of 2")
    lines = muster.ok("logs", "writer", "--attempt", 1).lines()
    assert lines == [f"line {number}" for number in range(len(lines))]
    assert muster.output_of("writer").read_bytes() == muster.ok("logs", "writer", "--attempt", 1).raw


@pytest.mark.row(12, "the controller is killed, the next one takes over")
def test_a_killed_controller_is_not_noticed_by_its_ranks(muster, fault):
    muster.submit("--name", "through", "-n", 2, "--", "sh", "-c", STUBBORN)
    before = [rank["pid"] for rank in muster.wait_for_ranks("through")["ranks"]]
    controller = muster.controller()
    fault.inject(os.kill, controller, signal.SIGKILL)
    muster.ok("ps")
    fault.reached("detect")
    after = muster.wait_for_ranks("through")
    fault.reached("name", "recover")
    assert [rank["pid"] for rank in after["ranks"]] == before and muster.controller() != controller
    # `muster ps` only starts a controller here: an attached `run` does it by itself.
    fault.note = "with the next command; ranks run on"
    go(muster)
    assert ended(muster, "through", 0)["attempt"] == 1
    assert sorted(muster.ok("logs", "through").lines()) == ["[0] attempt 1", "[1] attempt 1"]


@pytest.mark.row(12, "the controller is killed under an attached run")
def test_an_attached_run_brings_the_next_controller(muster, fault):
    run = muster.start("run", "--name", "through", "--", "sh", "-c", "echo ready; until test -e go; do sleep 0.05; done; echo after").says("ready")
    controller = muster.controller()
    fault.inject(os.kill, controller, signal.SIGKILL)
    wait_for(lambda: [pid for pid in muster.processes("serve") if pid != controller and alive(pid)], "the next controller")
    fault.reached("detect", "name")
    muster.wait_for_ranks("through")
    fault.reached("recover")
    go(muster)
    done = run.end()
    assert (done.code, done.lines()) == (0, ["ready", "after"]), done


@pytest.mark.row(45, "the controller dies while a submit is under way")
def test_a_submit_that_is_said_again_is_one_job(muster, fault):
    """A stopped controller has the request and cannot answer. It is killed, and the command repeats the request to the next one."""
    muster.ok("ps")
    names = [f"once-{number}" for number in range(4)]
    for name in names:
        controller = muster.controller()
        os.kill(controller, signal.SIGSTOP)
        submit = muster.start("submit", "-q", "--name", name, "--", "sh", "-c", f"echo x >> {name}")
        wait_for(lambda submit=submit: b"sock" in b"".join(links(submit.pid)), "the command to have connected")
        fault.inject(os.kill, controller, signal.SIGKILL)
        assert submit.end().code == 0, submit
    fault.reached("recover")
    assert muster("wait", *names).code == 0
    assert sorted(muster.ok("ps", "-a", "-o", "name").lines()) == names
    assert [(muster.work / name).read_text() for name in names] == ["x\n"] * len(names)


def links(pid):
    for entry in os.scandir(f"/proc/{pid}/fd"):
        with contextlib.suppress(OSError):
            yield os.fsencode(os.readlink(entry.path))


@pytest.mark.row(58, "a second controller is started")
def test_a_second_controller_refuses(muster, fault):
    muster.submit("--name", "kept", "--", "sh", "-c", STUBBORN)
    pid = muster.wait_for_ranks("kept")["ranks"][0]["pid"]
    first = muster.controller()
    second = fault.inject(muster, "serve")
    fault.reached("detect", "name")
    assert second.code == 6 and f"another controller (pid {first}) already serves {muster.state}" in second.err, second
    assert muster.controller() == first and alive(pid)
    go(muster)
    ended(muster, "kept", 0)
