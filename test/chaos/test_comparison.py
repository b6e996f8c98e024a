# SPDX-License-Identifier: Apache-2.0
"""The chaos can fail: it finds what is planted in the result of a real job, and nothing in the result as it is."""

import copy
import os
import subprocess
import sys

import pytest

import comparison
import fault_table
import leaks
import plans
import remains
from job_run import JobRun
from strikes import Striker
from waiting import wait_for
from world import Strike, World

AROUND = plans.Round(333, 0, small_disk=False, own_temporary=False, privileged=False)
RANKS = [[[["write", 1, "lines", 5000], ["leave", 600, True, True], ["exit", 3]], [["write", 1, "binary", 3_000_000], ["write", 2, "line", 77]]],
         [[["write", 2, "lines", 900], ["wait", 60]], [["wait", 0]]]]
KEY = 2, 0, 1  # stdout of rank 0 in attempt 2


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    world = World(tmp_path_factory.mktemp("chaos") / "round", disk=None, alone=False)
    world.muster.ok("ps")  # starts the controller, without the secret in its environment
    yield world
    remains.end_processes(world)
    leaks.sweep(world.muster)


@pytest.fixture(scope="module")
def ended(world):
    """A job of two ranks that fails once and then succeeds."""
    run = JobRun(world, AROUND.plan(0) | {"way": "submit", "nodes": 1, "count": 2, "limit": 1, "ranks": RANKS, "faults": []})
    run.run()
    return run


@pytest.fixture
def run(ended):
    return copy.copy(ended)


@pytest.fixture(autouse=True)
def hurry(monkeypatch):
    monkeypatch.setattr(remains, "PATIENCE", 1)


def finds(run, *words, strikes=()):
    found = comparison.compare(run, strikes)
    assert any(all(word in text for word in words) for text in found), found


def struck(name):
    return Strike(fault_table.by_name(name), "any", 0, 0)


def test_a_job_that_kept_its_promises_has_no_findings(run, world):
    assert comparison.compare(run, []) == []
    assert run.job["state"] == "succeeded" and run.job["attempt"] == 2
    assert list(comparison.final(run, run.job)) == []
    assert list(remains.secrets(world, [run])) == []


@pytest.mark.parametrize("change", [
    lambda data: data[:2_000_000] + bytes([data[2_000_000] ^ 1]) + data[2_000_001:], lambda data: data[:-1], lambda data: data + b"x",
    lambda data: data[1:], lambda data: None], ids=["changed", "lost", "added", "lost at the start", "deleted"])
def test_one_wrong_byte_of_output_is_found(run, change):
    run.written = run.written | {KEY: change(run.written[KEY])}
    finds(run, "stdout of rank 0 in attempt 2", strikes=[struck("the agent is killed")])


def test_wrong_bytes_of_logs_are_found(run):
    run.logged = {key: data + b"x" for key, data in run.logged.items()}
    finds(run, "`muster logs` of stdout of rank 0 in attempt 1")


def test_a_wrong_end_is_found(run):
    run.code = 1
    finds(run, "the command says 1, and the job is succeeded")
    run.code, run.job = 1, run.job | {"state": "failed"}
    finds(run, "the job failed, and all its ranks succeeded")
    run.code, run.job = 130, run.job | {"state": "cancelled"}
    finds(run, "nobody stopped the job")


def test_a_success_of_ranks_that_did_not_end_is_found(run):
    read = run.read
    run.read = lambda: [each for each in read() if (each.rank, each.attempt) != (1, 2)]
    finds(run, "the job succeeded, but not all ranks did in attempt 2")


def test_a_job_that_is_no_longer_known_is_found(run):
    assert list(comparison.final(run, None)) and list(comparison.final(run, run.job | {"state": "failed"}))
    run.job = None
    finds(run, "the job is unknown")


def test_a_failure_without_a_cause_is_found(run):
    read = run.read
    run.read = lambda: [without_end(each) if each.attempt == 1 else each for each in read()]
    finds(run, "attempts [1] failed without a cause")


def without_end(process):
    process.lines = [line for line in process.lines if "end" not in line]
    return process


def test_a_wrong_cause_is_found(run):
    run.job = copy.deepcopy(run.job)
    run.job["attempts"][0]["exit"]["code"] = 4
    finds(run, "rank 0 exited with 4", "code 3")


def test_two_attempts_alive_and_a_second_start_are_found(run):
    first, *others = run.read()
    first.lines.append({"beside": [[1, 1]]})
    run.read = lambda: [first, first, *others]
    finds(run, "two attempts alive", "ran beside 1")
    finds(run, "was started twice")


def test_a_process_that_outlives_its_job_is_found(run, world):
    words = [sys.executable, "-c", "import sys; sys.stdin.read()", str(world.folder / "mark")]
    with subprocess.Popen(words, env={}, stdin=subprocess.PIPE) as left:
        wait_for(lambda: world.owns(left.pid), "the program to be executed")
        assert any(f"process {left.pid} is left" in text for text in remains.processes(world))
        run.alive_at_end = run.read()[:1]
        finds(run, "is alive after the job's end")
        left.stdin.close()


def test_a_secret_that_stays_is_found(run, world):
    path = world.state / "log" / "planted"
    path.write_text(f"token {run.plan['secret']}")
    assert [text for text in remains.secrets(world, [run]) if str(path) in text]
    path.unlink()
    with subprocess.Popen(["cat"], env={"HOME": str(world.muster.home), "T": run.plan["secret"]}, stdin=subprocess.PIPE) as holder:
        wait_for(lambda: world.owns(holder.pid), "the program to be executed")
        assert [text for text in remains.secrets(world, [run]) if f"process {holder.pid}" in text]
        holder.stdin.close()


def test_files_and_shared_memory_that_stay_are_found(world):
    dead = subprocess.Popen(["true"])
    dead.wait()
    planted = leaks.runtime_folder() / f"agent-{dead.pid}.sock", world.state / "jobs" / "planted"
    memory = f"/dev/shm/chaos-{os.getpid()}"
    for path in (*planted, memory):
        with open(path, "w", encoding="utf-8"):
            pass
    try:
        assert list(remains.runtime_files(world)) == [f"{planted[0]} is left"]
        assert f"`muster rm --all` left {planted[1]}" in list(remains.state_files(world))
        assert f"shared memory is left: chaos-{os.getpid()}" in list(remains.memory(world))
    finally:
        for path in (*planted, memory):
            os.unlink(path)


def test_a_seed_gives_the_same_plans():
    again = plans.Round(333, 0, small_disk=False, own_temporary=False, privileged=False)
    assert [again.plan(number) for number in range(5)] == [AROUND.plan(number) for number in range(5)]
    assert AROUND.plan(0) != AROUND.plan(1)


def test_every_fault_has_a_strike_and_can_be_drawn():
    assert [fault.name for fault in fault_table.TABLE if not hasattr(Striker, fault.strike.split(":")[0])] == []
    drawn = {fault for way in fault_table.EVERY for privileged in (False, True) for fault in fault_table.drawable(way, True, True, privileged)}
    assert drawn == set(fault_table.TABLE)
