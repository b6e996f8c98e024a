# SPDX-License-Identifier: Apache-2.0
"""The long form of row 56: 10,000 restarts of one job, and 1,000 jobs with random kills. `scripts/test soak`; test_soak.py has
the short form. Random choices follow from a seed, which is printed; SOAK_SEED repeats one.
"""

import contextlib
import os
import random
import signal
import time

import pytest

from processes import parent
from sampling import Samples, folder_size
from waiting import wait_for

FAILS = "echo $MUSTER_ATTEMPT > attempt; exit 1"
ONCE = "test $MUSTER_ATTEMPT = 2 || exec sleep 600"
AT_ONCE = 4  # jobs that run at the same time
VICTIMS = ("rank", "both ranks", "agent", "guardian", "agent and guardian", "stop", "controller")


def attempt_now(muster):
    try:
        return int((muster.work / "attempt").read_text())
    except (OSError, ValueError):
        return 0


def restart(muster, limit, every):
    """One job that fails at once, `limit` times; returns samples of controller and agent, and the size of its journal in bytes."""
    muster.env["MUSTER_IDLE"] = "1m"
    muster.submit("--name", "loop", "--restarts", limit, "--set", "restarts.backoff.then=1ms..1ms",
                  "--set", "restarts.crash_loop=0", "--", "sh", "-c", FAILS)
    wait_for(lambda: attempt_now(muster) > 0, "the first attempt")
    controller, agent = muster.controller(), wait_for(lambda: the_agent(muster), "the agent")
    both = Samples(muster, controller, "controller"), Samples(muster, agent, "agent")
    for mark in range(every, limit, every):
        wait_for(lambda mark=mark: attempt_now(muster) >= mark, f"attempt {mark} of {limit + 1}")
        for samples in both:
            samples.take(mark)
    done = muster("wait", "loop")
    assert done.code == 1 and f"in attempt {limit + 1} of {limit + 1}" in done.err, done
    os.kill(controller, signal.SIGTERM)
    return both


def the_agent(muster):
    """The pid of the agent, not of its guardian, which has the same command line."""
    agents = muster.processes("agent")
    return next((pid for pid in agents if parent(pid) in agents), None)


class Attack:
    """One job with two ranks. One process is killed once the job runs; the second attempt succeeds."""

    def __init__(self, muster, number, chance):
        self.muster, self.name, self.victim = muster, f"job-{number}", chance.choice(VICTIMS)
        muster.submit("--name", self.name, "-n", 2, "--restarts", 3, "--grace", "100ms", "--", "sh", "-c", ONCE)

    def strike(self):
        ranks = [rank["pid"] for rank in self.muster.wait_for_ranks(self.name)["ranks"]]
        agent, guardian = self.muster.agent_of(ranks[0])
        pids = {"rank": ranks[:1], "both ranks": ranks, "agent": [agent], "guardian": [guardian], "agent and guardian": [agent, guardian]}
        if self.victim == "stop":
            self.muster.ok("stop", self.name, "--grace", "0s")
        elif self.victim == "controller":
            # A new one would be measured from then on, so it is only stopped for a while, as by a debugger.
            controller = self.muster.controller()
            os.kill(controller, signal.SIGSTOP)
            os.kill(ranks[1], signal.SIGKILL)
            os.kill(controller, signal.SIGCONT)
        for pid in pids.get(self.victim, []):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def end(self):
        done = self.muster("wait", self.name)
        assert done.code == (130 if self.victim == "stop" else 0), f"{self.victim}: {done}"


def no_agents(muster):
    """Ends the agents that wait for another job; an agent comes back some time after its job has ended."""
    muster("rm", "--idle")
    return not muster.processes("agent")


def attack(muster, jobs, seed):
    """Many jobs, some at the same time. Samples the controller after each batch, when no other process of ours is left."""
    muster.env["MUSTER_IDLE"] = "2m"
    chance = random.Random(seed)
    muster.ok("ps")
    # It keeps 1 KiB for each job in `ps -a` until `rm`. If jobs are removed it does not grow.
    samples = Samples(muster, muster.controller(), "controller", kib_each=1.5)
    for first in range(0, jobs, AT_ONCE):
        handful = [Attack(muster, number, chance) for number in range(first, min(first + AT_ONCE, jobs))]
        for one in handful:
            one.strike()
        for one in handful:
            one.end()
        wait_for(lambda: no_agents(muster), "the agents to leave")
        samples.take(first + len(handful))
    assert muster.controller() == samples.pid
    os.kill(samples.pid, signal.SIGTERM)
    return samples


def judge(*all_samples):
    for samples in all_samples:
        print(f"\n{samples.table()}")
    grown = [line for samples in all_samples for line in samples.grown()]
    assert not grown, "\n".join(grown)


def seed_of_run():
    seed = int(os.environ.get("SOAK_SEED") or time.time())
    print(f"\nSOAK_SEED={seed}")
    return seed


@pytest.fixture
def told(capsys):
    """Prints the tables even if the test passes: they are the result."""
    yield
    with capsys.disabled():
        print(capsys.readouterr().out)


def test_ten_thousand_restarts(muster, told):
    samples = restart(muster, 10_000, every=50)
    files, size = folder_size(muster.state)
    print(f"\nstate folder: {files} files, {size >> 20} MiB")
    judge(*samples)


def test_a_thousand_jobs_under_attack(muster, told):
    judge(attack(muster, 1_000, seed_of_run()))
