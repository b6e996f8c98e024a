# SPDX-License-Identifier: Apache-2.0
"""libmuster in a C++ program: place, store, barrier, progress, and the end of an attempt (worker_probe of test/worker)."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from waiting import wait_for

PROBE = Path(os.environ["MUSTER_BINARY"]).with_name("worker_probe")


@pytest.fixture
def probe(muster):
    def run(*words, flags=("-n", "2")):
        return muster("run", *flags, "--", str(PROBE), *map(str, words))
    return run


def said(done):
    assert done.code == 0, done
    return sorted(done.out.splitlines())


def test_a_rank_knows_its_place(probe):
    lines = said(probe("place", flags=("--name", "talk", "-n", "2", "--nodes", "2")))
    assert lines[0] == "[0] talk worker 0/4 local 0/2 node 0 attempt 1 restarts 0"
    assert lines[3] == "[3] talk worker 3/4 local 1/2 node 1 attempt 1 restarts 0"


@pytest.mark.parametrize("shape", [("-n", "2"), ("-n", "1", "--nodes", "2")], ids=["one node", "two nodes"])
def test_the_store_does_what_its_header_says(probe, shape):
    done = probe("on", 0, "set", "k", "v1", ",", "wait", "k", 10, ",", "add", "n", 2, ",", "barrier", "a", ",", "add", "n", 0, ",",
                 "barrier", "b", ",", "swap", "k", "v1", "v2", ",", "barrier", "c", ",", "get", "k", ",", "fence", "f", "x", flags=shape)
    for rank in "01":
        lines = [line[4:] for line in done.out.splitlines() if line.startswith(f"[{rank}]")]
        assert lines[0] == "v1" and lines[1] in "24" and lines[2] == "4" and lines[3:] == ["v2", "v2", "x0 x1 "], done


def test_the_largest_value_comes_whole(probe):
    assert said(probe("large", 1 << 20, flags=("-n", "1"))) == ["whole"]


@pytest.mark.parametrize("shape", [("-n", "4"), ("-n", "2", "--nodes", "2")], ids=["one node", "two nodes"])
def test_many_short_calls_of_all_ranks_are_each_done_once(probe, shape):
    """Includes a reply that does not fit into one read."""
    done = probe("count", "n", 500, ",", "on", 0, "large", 1 << 20, ",", "count", "n", 500, ",", "barrier", "b", ",", "add", "n", 0, flags=shape)
    last = [[line[4:] for line in done.out.splitlines() if line.startswith(f"[{rank}]")][-1] for rank in range(4)]
    assert done.code == 0 and last == ["4000"] * 4, done


def test_a_rank_rejoins_after_many_short_calls(probe):
    done = probe("in", 1, "count", "n", 100, ",", "in", 1, "on", 1, "end", 3, ",", "in", 1, "until-stop", ",", "in", 1, "rejoin", ",", "count", "n", 100, ",",
                 "barrier", "b", ",", "add", "n", 0, flags=("-n", "2", "--restarts", "1"))
    assert done.code == 0 and "[0] 200" in done.out and "[1] 200" in done.out, done


def test_errors_are_sentences_with_a_code(probe):
    done = probe("get", "nothing", flags=("-n", "1"))
    assert done.code == 1 and "5: key `nothing` is not set" in done.err
    done = probe("on", 0, "barrier", "x", 0.5, ",", "on", 1, "wait", "never", 30)
    assert re.search(r"4: barrier `x` timed out after 500 ms: rank 1 .*is missing \(1 of 2\)", done.err), done


def test_outside_a_job_it_says_how_to_start(muster):
    done = subprocess.run([PROBE, "place"], capture_output=True, text=True, env=muster.env)
    assert done.returncode == 1
    assert done.stderr == "9: this program was not started by muster (MUSTER_SOCKET is not set); start it with: muster run -n 2 -- PROGRAM\n"


def test_an_agent_that_does_not_answer_is_said(muster):
    environment = {**muster.env, **{f"MUSTER_{name}": "0" for name in
                   "INDEX ATTEMPT RANK WORLD_SIZE LOCAL_RANK LOCAL_WORLD_SIZE NODE RESTARTS".split()}, "MUSTER_SOCKET": "/nowhere/s"}
    done = subprocess.run([PROBE, "place"], capture_output=True, text=True, env=environment)
    assert done.stderr.startswith("14: the agent of this node does not answer at /nowhere/s"), done


def test_progress_is_shown_while_it_runs_and_kept_afterwards(muster):
    run = muster.start("run", "--name", "far", "-n", "2", "--", str(PROBE), "on", "0", "progress", "3", "10", "0.5", ",", "on", "1", "progress", "2",
                       "10", "0.25", ",", "say", "told", ",", "on", "0", "wait", "go", ",", "on", "1", "until-stop").says("told")
    wait_for(lambda: "step 2 of 10 (20 %)" in muster("describe", "far").out, "progress in describe")
    assert re.search(r"far .*running .* 2 20 %", muster("ps").out)
    job = json.loads(muster("describe", "far", "-o", "json").out)
    assert job["progress"]["step"] == 2 and job["progress"]["metrics"] == {"loss": 0.5}
    assert job["ranks"][0]["progress"]["step"] == 3
    assert muster("stop", "far", "--grace", "0s").code == 0
    run.end()
    assert "step 2 of 10 (20 %)" in muster("describe", "far").out


def test_the_last_progress_of_a_success_is_kept(muster, probe):
    said(probe("progress", 9, 10, 0.5, ",", "progress", 10, 10, 0.125, flags=("--name", "done", "-n", "1")))
    assert "step 10 of 10 (100 %) " in muster("describe", "done").out.replace("·", " ")


def test_a_rank_is_told_why_it_is_to_end(muster):
    run = muster.start("run", "--name", "told", "-n", "2", "--", str(PROBE), "watch", ",", "barrier", "up", ",", "say", "up", ",", "until-stop").says("[1] up").says("[0] up")
    muster("stop", "told")
    done = run.end()
    assert done.out.count("stop: stopped by the user") == 2, done


def test_a_rank_is_told_how_long_it_has(muster):
    run = muster.start("run", "--name", "told", "-n", "1", "--", str(PROBE), "grace", ",", "say", "up", ",", "until-stop", ",", "grace").says("up")
    muster("stop", "told", "--grace", "500s")
    grace = re.findall(r"grace (\S+)", run.end().out)
    assert grace[0] == "inf" and 400 < float(grace[1]) <= 500, grace


def test_a_rank_is_told_of_the_failure_of_its_peer(probe):
    done = probe("watch", ",", "barrier", "both", ",", "on", 1, "end", 3, ",", "until-stop")
    assert "stop: rank 1 exited with code 3" in done.out, done


def test_who_waits_for_a_killed_peer_is_told(probe):
    done = probe("watch", ",", "barrier", "both", ",", "on", 1, "end", "kill", ",", "until-stop")
    assert "stop: rank 1 was killed by SIGKILL" in done.out, done


def test_a_library_of_another_protocol_is_told_so(muster):
    """A library newer than its agent makes a call that the agent does not know."""
    muster.env["PYTHONPATH"] = str(Path(__file__).parent)
    muster.write("rank.py", "from rendezvous import *\nprint(strange_call()[:2])\n")
    done = muster("run", "-n", "1", "--", "python3", "rank.py")
    assert "(12, 'this agent cannot answer: unknown kind of call')" in done.out, done


REJOINS = ("watch", ",", "pid", ",", "in", 1, "barrier", "a", ",", "on", 1, "in", 1, "end", "kill", ",", "in", 1, "until-stop", ",", "in", 1, "rejoin",
           ",", "barrier", "again", ",", "place", ",", "pid")


def test_a_rank_rejoins_the_next_attempt_in_its_process(muster, probe):
    done = probe(*REJOINS, flags=("--name", "again", "-n", "2", "--restarts", "1"))
    assert done.code == 0, done
    first, second = [re.findall(rf"\[{rank}\] pid (\d+)", done.out) for rank in (0, 1)]
    assert first[0] == first[1] and len(second) == 3 and second[0] != second[1] == second[2], done
    assert "[0] again worker 0/2 local 0/2 node 0 attempt 2 restarts 1" in done.out
    # Its output belongs to the attempt in which it prints.
    assert "place" not in done.err and muster("logs", "again", "--rank", "0", "--attempt", "2").out.startswith("again worker 0/2"), done


def test_a_rank_that_may_rejoin_ends_when_no_attempt_follows(probe):
    done = probe(*REJOINS, flags=("-n", "2"))
    assert done.code == 1
    assert "[0] 9: no attempt follows: rank 1 was killed by SIGKILL" in done.err, done


def test_a_rank_that_waits_for_an_attempt_that_never_comes_is_ended(muster):
    muster.write("job.yaml", f"name: patient\nworkers: 2\ncommand: {json.dumps([str(PROBE), *map(str, REJOINS)])}\n"
                             "restarts: {limit: 1, backoff: {first: 60s}}\n")
    run = muster.start("run", "job.yaml").says("[0] stop: rank 1 was killed")
    wait_for(lambda: "backoff" in muster("ps").out, "the backoff")
    waiting = re.search(r"\[0\] pid (\d+)", run.out()).group(1)
    assert muster("stop", "patient").code == 0
    run.end()
    wait_for(lambda: not Path("/proc", waiting).exists(), "the end of the process that waited")


@pytest.mark.parametrize("shape", [("-n", "4"), ("-n", "2", "--nodes", "2")], ids=["one node", "two nodes"])
def test_collectives_over_gloo(probe, shape):
    nodes, across = ("4", "1") if shape == ("-n", "4") else ("2", "2")
    lines = said(probe("collect", ",", "reduce", 100000, flags=shape))
    for rank in range(4):
        assert f"[{rank}] gathered 0 1 2 3 scattered {rank} broadcast 2.5 received {0 if rank == 1 else rank} node {nodes} across {across}" in lines
        assert f"[{rank}] reduced 100000 to 4" in lines


def test_a_killed_peer_is_named_to_all_within_a_second(probe):
    done = probe("watch", ",", "reduce-until-broken", 9, flags=("-n", "4", "--grace", "10s"))
    for rank in (0, 2, 3):
        assert re.search(rf"\[{rank}\] 10: .*rank 1.*killed by SIGKILL.* \[soon\]", done.out), done


def test_ranks_that_disagree_are_named_with_their_calls(probe):
    done = probe("on", 0, "reduce", 1024, ",", "on", 1, "reduce", 2048)
    assert done.code == 1
    for rank in (0, 1):
        assert re.search(rf"\[{rank}\] 3: .*rank 0.*1024.*rank 1.*2048", done.err) or f"[{1 - rank}] 3:" in done.err, done


def test_only_the_functions_of_the_header_are_exported():
    listed = subprocess.run(["nm", "-D", "--defined-only", PROBE.with_name("lib") / "libmuster.so"], capture_output=True, text=True, check=True).stdout
    names = {line.split()[-1].split("@")[0] for line in listed.splitlines()}
    declared = set(re.findall(r"\b(muster_\w+)\(", Path(os.environ["MUSTER_PROJECT"], "core/worker/include/muster/muster.h").read_text()))
    assert names - {"MUSTER_1"} == declared
