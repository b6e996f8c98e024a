# SPDX-License-Identifier: Apache-2.0
"""An agent, its guardian, or both are killed: nothing of the job is left on the node, and the job names the process that ended."""

import contextlib
import os
import signal

import pytest

from processes import alive
from waiting import wait_for

STUBBORN = "trap '' TERM HUP INT; echo attempt $MUSTER_ATTEMPT; until test -e go; do sleep 0.05; done"


def start(muster, *flags):
    muster.submit("--name", "victim", "-n", "2", *flags, "--", "sh", "-c", STUBBORN)
    ranks = [rank["pid"] for rank in muster.wait_for_ranks("victim")["ranks"]]
    wait_for(lambda: len(muster.ok("logs", "victim").lines()) == 2, "the ranks to be deaf")
    return ranks, *muster.agent_of(ranks[0])


def kill(*pids):
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):  # a guardian ends with its agent
            os.kill(pid, signal.SIGKILL)


def gone(pids):
    wait_for(lambda: not [pid for pid in pids if alive(pid)], f"{pids} to be gone")


VICTIMS = {"agent": lambda agent, guardian: [agent], "guardian": lambda agent, guardian: [guardian],
           "guardian first": lambda agent, guardian: [guardian, agent], "agent first": lambda agent, guardian: [agent, guardian]}


@pytest.mark.parametrize("victims", VICTIMS)
def test_the_ranks_go_with_it_and_the_job_fails_with_a_sentence(muster, victims):
    ranks, agent, guardian = start(muster)
    kill(*VICTIMS[victims](agent, guardian))
    gone([*ranks, agent, guardian])
    assert muster("wait", "victim").code == 1
    sentence = muster.job("victim")["sentence"]
    assert "was lost" in sentence or "was killed by SIGKILL" in sentence, sentence
    assert muster.job("victim")["done"]


@pytest.mark.parametrize("victims", VICTIMS)
def test_a_job_with_restarts_goes_on(muster, victims):
    ranks, agent, guardian = start(muster, "--restarts", "1")
    kill(*VICTIMS[victims](agent, guardian))
    gone([*ranks, agent, guardian])
    job = muster.wait_for_ranks("victim", attempt=2)
    assert not {rank["pid"] for rank in job["ranks"]} & set(ranks)
    assert "restarting, attempt 2 of 2" in muster.sentences("victim")
    (muster.work / "go").write_text("")
    assert muster("wait", "victim").code == 0
    assert sorted(muster.ok("logs", "victim", "--attempt", "all").lines()) == ["[0] attempt 1", "[0] attempt 2", "[1] attempt 1", "[1] attempt 2"]


def test_one_of_two_agents(muster):
    ranks, agent, _ = start(muster, "--nodes", "2", "-n", "1", "--restarts", "1")
    kill(agent)
    gone(ranks)
    muster.wait_for_ranks("victim", attempt=2)
    (muster.work / "go").write_text("")
    assert muster("wait", "victim").code == 0


def test_an_agent_that_dies_with_the_controller(muster):
    ranks, agent, guardian = start(muster)
    kill(muster.controller(), agent)
    gone([*ranks, agent, guardian])
    assert muster("wait", "victim").code == 1
    assert muster.job("victim")["sentence"].startswith("failed: ")


def test_a_rank_killed_from_outside(muster):
    ranks, _, _ = start(muster)
    kill(ranks[1])
    assert muster("wait", "victim").code == 1
    assert muster.job("victim")["sentence"] == "failed: rank 1 was killed by SIGKILL"
    gone(ranks)


def test_a_stopped_agent_does_not_lose_the_job(muster):
    """SIGSTOP, as sent by a debugger or a suspended laptop."""
    _, agent, _ = start(muster)
    os.kill(agent, signal.SIGSTOP)
    assert muster.job("victim")["state"] == "running"
    os.kill(agent, signal.SIGCONT)
    (muster.work / "go").write_text("")
    assert muster("wait", "victim").code == 0
