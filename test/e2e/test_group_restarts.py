# SPDX-License-Identifier: Apache-2.0
"""restarts.mode: group. A group whose rank fails is restarted alone; the other groups are not affected."""

import os
import signal
from pathlib import Path

import pytest

from processes import alive
from waiting import wait_for

# Meets its group, counts the ranks that came before it in its attempt, and then follows the files of the working folder.
PROGRAM = """
import os, sys
from rendezvous import call_again
group, rank, attempt = (os.environ["MUSTER_" + name] for name in ("GROUP", "RANK", "ATTEMPT"))
print("begins in attempt", attempt, "restarts", os.environ["MUSTER_RESTARTS"], flush=True)
if "rendezvous" in sys.argv:
    code, text, values = call_again("fence", "all", f"{group}{rank}", seconds=60)
    print("met", *values, call_again("add", "came", amount=1)[0], flush=True)
while not os.path.exists(f"done-{group}"):
    if os.path.exists(f"fail-{group}{rank}-{attempt}"):
        sys.exit(3)
    os.system("sleep 0.05")
if "rendezvous" in sys.argv:
    print("ends", call_again("barrier", "end", seconds=60)[0], flush=True)
print("is done", flush=True)
"""


@pytest.fixture
def job(muster):
    """A job file with two groups that restart separately."""
    muster.env["PYTHONPATH"] = str(Path(__file__).parent)
    muster.write("rank.py", PROGRAM)

    def write(*words, nodes=1, success="all", **restarts):
        command = ["python3", "rank.py", *words]
        groups = [{"name": "trainer", "nodes": nodes, "workers": 2 // nodes, "command": command},
                  {"name": "evaluator", "nodes": nodes, "workers": 2 // nodes, "command": command, "success": success}]
        return muster.job_file(name="pair", groups=groups, timeouts={"stop": "1s"},
                               restarts={"mode": "group", "limit": 5, "backoff": {"then": "1ms..1ms"}} | restarts)
    return write


def started(muster, path):
    return muster.start("run", path).says("begins in attempt 1")


def pids(job, group):
    return [rank["pid"] for rank in job["ranks"] if rank["group"] == group]


def fail(muster, group, rank, attempt, next_attempt):
    """Makes the rank fail; returns the job when all ranks run again."""
    (muster.work / f"fail-{group}{rank}-{attempt}").touch()
    return muster.wait_for_ranks("pair", next_attempt)


def end(muster, *groups):
    for group in groups:
        (muster.work / f"done-{group}").touch()


def attempts(job):
    return [(attempt["attempt"], attempt["group"], "cause" in attempt) for attempt in job["attempts"]]


def test_the_other_group_goes_on(muster, job):
    muster.ok("submit", job())
    first = muster.wait_for_ranks("pair")
    second = fail(muster, "trainer", 1, 1, 2)
    assert pids(second, "evaluator") == pids(first, "evaluator")
    assert not set(pids(second, "trainer")) & set(pids(first, "trainer"))
    third = fail(muster, "evaluator", 0, 1, 3)
    assert pids(third, "trainer") == pids(second, "trainer")
    assert "running" in muster.ok("ps").out
    end(muster, "trainer", "evaluator")
    assert muster("wait", "pair").code == 0
    done = muster.job("pair")
    assert (done["attempt"], done["restarts"]) == (3, 2)
    assert attempts(done) == [(1, "trainer", True), (1, "evaluator", True), (2, "trainer", False), (3, "evaluator", False)]
    said = muster.sentences("pair")
    assert "trainer 1 exited with code 3 · group trainer is restarting, attempt 2 of 6" in said
    assert "group trainer is running again after " in said and "(2 ranks, attempt 2 of 6)" in said
    assert "evaluator 0 exited with code 3 · group evaluator is restarting, attempt 3 of 6" in said


def test_what_people_are_told(muster, job):
    muster.ok("submit", job())
    muster.wait_for_ranks("pair")
    fail(muster, "trainer", 1, 1, 2)
    why = muster.ok("why", "pair").out
    assert "trainer 1 exited with code 3. Group trainer is running again, attempt 2." in why
    table = [line.split() for line in muster.ok("describe", "pair").out.splitlines()]
    assert ["ATTEMPT", "GROUP", "BEGAN", "LASTED", "RECOVERED", "IN", "FIRST", "FAILURE"] in table
    assert [row[:2] for row in table if row[1:2] in (["trainer"], ["evaluator"])] == [["1", "trainer"], ["1", "evaluator"], ["2", "trainer"]]
    (muster.work / "fail-trainer0-2").touch()
    muster.wait_for_ranks("pair", 3)
    muster.ok("stop", "pair")
    muster("wait", "pair")
    assert muster.job("pair")["state"] == "cancelled"


def begins(group, rank, attempt):
    return f"[{group} {rank}]".ljust(14) + f"begins in attempt {attempt} restarts {attempt - 1}"


def test_logs_are_complete(muster, job):
    run = started(muster, job())
    muster.wait_for_ranks("pair")
    fail(muster, "trainer", 1, 1, 2)
    follow = muster.start("logs", "-f", "pair")
    follow.says("[trainer 1]   begins in attempt 2")
    fail(muster, "trainer", 0, 2, 3)
    end(muster, "evaluator")
    run.says("group evaluator succeeded in ")
    end(muster, "trainer")
    assert run.end().code == 0
    evaluator = [begins("evaluator", rank, 1) for rank in (0, 1)]
    ends = [f"[{group} {rank}]".ljust(14) + "is done" for group in ("evaluator", "trainer") for rank in (0, 1)]
    trainer = {attempt: [begins("trainer", rank, attempt) for rank in (0, 1)] for attempt in (1, 2, 3)}
    everything = sorted(evaluator + ends + trainer[1] + trainer[2] + trainer[3])
    assert sorted(run.end().lines()) == everything
    assert sorted(muster.ok("logs", "pair", "--attempt", "all").lines()) == everything
    assert sorted(follow.end().lines()) == sorted(evaluator + ends + trainer[2] + trainer[3])
    assert sorted(muster.ok("logs", "pair").lines()) == sorted(evaluator + ends + trainer[3])
    assert sorted(muster.ok("logs", "pair", "--attempt", "2").lines()) == sorted(evaluator + ends[:2] + trainer[2])


@pytest.mark.parametrize("nodes", [1, 2])
def test_each_group_meets_by_itself(muster, job, nodes):
    run = started(muster, job("rendezvous", nodes=nodes))
    first = muster.wait_for_ranks("pair")
    for group in ("trainer", "evaluator"):
        run.says(f"met {group}0 {group}1 ")
    second = fail(muster, "trainer", 1, 1, 2)
    assert pids(second, "evaluator") == pids(first, "evaluator")
    end(muster, "trainer", "evaluator")
    done = run.end()
    assert done.code == 0
    assert sorted(line.split("]")[1].split("met ")[1][:-2] for line in done.lines() if "met " in line) == \
        ["evaluator0 evaluator1"] * 2 + ["trainer0 trainer1"] * 4
    assert len([line for line in done.lines() if line.endswith("ends 0")]) == 4


@pytest.mark.parametrize("nodes", [1, 2])
def test_a_new_controller_goes_on_with_each_in_its_attempt(muster, job, nodes):
    muster.ok("submit", job("rendezvous", nodes=nodes))
    muster.wait_for_ranks("pair")
    before = fail(muster, "trainer", 1, 1, 2)
    muster.kill_controller()
    after = muster.wait_for_ranks("pair", 2)
    assert [rank["pid"] for rank in after["ranks"]] == [rank["pid"] for rank in before["ranks"]]
    third = fail(muster, "evaluator", 1, 1, 3)
    assert pids(third, "trainer") == pids(before, "trainer")
    muster.kill_controller()
    end(muster, "trainer", "evaluator")
    assert muster("wait", "pair").code == 0
    assert attempts(muster.job("pair")) == [(1, "trainer", True), (1, "evaluator", True), (2, "trainer", False), (3, "evaluator", False)]
    assert len([line for line in muster.ok("logs", "pair").lines() if line.endswith("ends 0")]) == 4


def test_a_failure_while_nobody_is_there(muster, job):
    muster.ok("submit", job())
    before = muster.wait_for_ranks("pair")
    muster.kill_controller()
    (muster.work / "fail-evaluator1-1").touch()
    failed = pids(before, "evaluator")[1]
    wait_for(lambda: not alive(failed), "the rank to end")
    assert pids(muster.wait_for_ranks("pair", 2), "trainer") == pids(before, "trainer")
    end(muster, "trainer", "evaluator")
    assert muster("wait", "pair").code == 0


def test_the_limit_is_the_jobs(muster, job):
    run = started(muster, job(limit=1))
    muster.wait_for_ranks("pair")
    last = fail(muster, "trainer", 0, 1, 2)
    (muster.work / "fail-evaluator1-1").touch()
    done = run.end()
    assert done.code == 1
    assert "failed: evaluator 1 exited with code 3, in attempt 1 of 2" in done.err
    assert not any(alive(rank["pid"]) for rank in last["ranks"])
    assert "evaluator 1 exited with code 3" in muster.ok("why", "pair").out.splitlines()[0]
    assert muster.ok("describe", "pair").out.count("was stopped because another rank failed") == 3


def test_a_group_that_has_succeeded_stays_so(muster, job):
    run = started(muster, job())
    first = muster.wait_for_ranks("pair")
    end(muster, "evaluator")
    run.says("group evaluator succeeded in ")
    wait_for(lambda: not any(alive(pid) for pid in pids(first, "evaluator")), "the evaluators to end")
    (muster.work / "fail-trainer0-1").touch()
    run.says("group trainer is running again after ")
    muster.kill_controller()
    end(muster, "trainer")
    done = run.end()
    assert done.code == 0
    assert len([line for line in done.lines() if "evaluator" in line and "begins" in line]) == 2


def test_an_ignored_group_is_ended_with_the_others(muster, job):
    run = started(muster, job(success="ignore"))
    last = muster.wait_for_ranks("pair")
    end(muster, "trainer")
    assert run.end().code == 0
    assert not any(alive(rank["pid"]) for rank in last["ranks"])


def test_an_agent_dies(muster, job):
    muster.ok("submit", job(nodes=2))
    first = muster.wait_for_ranks("pair")
    stays, dies = (muster.agent_of(pid) for pid in pids(first, "trainer"))
    os.kill(dies[0], signal.SIGKILL)
    second = muster.wait_for_ranks("pair", 2)
    assert pids(second, "evaluator") == pids(first, "evaluator")
    assert muster.agent_of(pids(second, "trainer")[0]) == stays
    end(muster, "trainer", "evaluator")
    assert muster("wait", "pair").code == 0


def test_a_group_keeps_its_port(muster):
    script = "echo $MUSTER_GROUP $MASTER_PORT $TORCHELASTIC_RESTART_COUNT; until test -e go$MUSTER_ATTEMPT; do sleep 0.05; done; exit $((2 - MUSTER_ATTEMPT))"
    stays = script.split("until")[0] + "until test -e go2; do sleep 0.05; done"
    muster.job_file(name="ports", framework="torch", restarts={"mode": "group", "limit": 1}, groups=[
        {"name": "a", "nodes": 2, "command": ["sh", "-c", script]}, {"name": "b", "nodes": 2, "command": ["sh", "-c", stays]}])
    muster.ok("submit", "job.yaml")
    muster.wait_for_ranks("ports")
    (muster.work / "go1").touch()
    muster.wait_for_ranks("ports", 2)
    (muster.work / "go2").touch()
    assert muster("wait", "ports").code == 0
    lines = sorted({tuple(line.split("]")[1].split()) for line in muster.ok("logs", "ports", "--attempt", "all").lines()})
    assert [(group, count) for group, _, count in lines] in ([("a", "0"), ("a", "1"), ("b", "0")], [("a", "1"), ("a", "0"), ("b", "0")])
    assert len({port for _, port, _ in lines}) == 3


@pytest.mark.parametrize("more, sentence", [
    ({"world": "shared"}, "needs groups that are worlds of their own"),
    ({"groups": [{"name": "a", "nodes": "1..2", "command": ["true"]}, {"name": "b", "command": ["true"]}]}, "needs a fixed number of nodes"),
])
def test_what_does_not_go_together(muster, more, sentence):
    groups = {"groups": [{"name": name, "command": ["true"]} for name in "ab"]}
    done = muster("run", muster.job_file(**(groups | {"restarts": {"mode": "group", "limit": 1}} | more)))
    assert done.code == 2 and "[E1316]" in done.err and sentence in done.err
