# SPDX-License-Identifier: Apache-2.0
"""`muster logs` and its flags, on running and ended jobs."""

import os
import re

import pytest

from waiting import wait_for


TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")

# Before one rank fails, the other must have begun.
BOTH_ARE_HERE = "a=$MUSTER_ATTEMPT; : > a$a.$MUSTER_RANK; until [ -e a$a.0 ] && [ -e a$a.1 ]; do sleep 0.01; done"


@pytest.fixture
def ended(muster):
    """A job with two ranks and two attempts; each rank printed four lines in each attempt."""
    script = "for i in 1 2 3; do echo a$MUSTER_ATTEMPT r$MUSTER_RANK $i; done; echo e$MUSTER_ATTEMPT r$MUSTER_RANK >&2; exit $((2 - MUSTER_ATTEMPT))"
    muster.ok("run", "-q", "-n", "2", "--name", "job", "--restarts", "1", "--grace", "30s", "--", "sh", "-c", f"trap '' TERM; {BOTH_ARE_HERE}; {script}")
    return muster


def lines_of(rank, attempt=2, count=3):
    return [f"[{rank}] a{attempt} r{rank} {i}" for i in range(4 - count, 4)]


def sorted_logs(muster, *flags):
    return sorted(muster.ok("logs", "job", *flags, "--stream", "out").lines())


def test_logs_show_the_newest_attempt(ended):
    assert sorted_logs(ended) == lines_of(0) + lines_of(1)


def test_attempts(ended):
    assert sorted_logs(ended, "--attempt", "1") == lines_of(0, 1) + lines_of(1, 1)
    assert sorted_logs(ended, "--attempt", "all") == sorted(lines_of(0, 1) + lines_of(1, 1) + lines_of(0) + lines_of(1))
    missing = ended("logs", "job", "--attempt", "3")
    assert (missing.code, missing.out) == (5, "")


def test_ranks(ended):
    assert ended.ok("logs", "job", "--rank", "1", "--stream", "out").lines() == ["a2 r1 1", "a2 r1 2", "a2 r1 3"]
    assert sorted_logs(ended, "--rank", "0-1") == sorted_logs(ended, "--rank", "0,1") == sorted_logs(ended)
    missing = ended("logs", "job", "--rank", "7")
    assert (missing.code, missing.out) == (5, "")
    assert "2 ranks" in missing.err


def test_the_last_lines(ended):
    assert sorted_logs(ended, "-n", "1") == lines_of(0, 2, 1) + lines_of(1, 2, 1)
    assert sorted_logs(ended, "-n", "2") == lines_of(0, 2, 2) + lines_of(1, 2, 2)
    assert sorted_logs(ended, "-n", "100") == sorted_logs(ended)
    assert sorted_logs(ended, "-n", "0") == []


def test_all_that_ranks_print_is_in_stdout_and_in_order(ended):
    done = ended.ok("logs", "job")
    for rank in (0, 1):
        assert [line for line in done.lines() if line.startswith(f"[{rank}]")] == [*lines_of(rank), f"[{rank}] e2 r{rank}"]
    assert done.err == ""
    only = ended.ok("logs", "job", "--stream", "err")
    assert (sorted(only.lines()), only.err) == (["[0] e2 r0", "[1] e2 r1"], "")


def test_lines_without_prefix(ended):
    assert sorted_logs(ended, "--no-prefix") == [line[4:] for line in lines_of(0) + lines_of(1)]


def test_logs_as_json_has_one_document_for_each_line(ended):
    lines = ended.ok("logs", "job", "--rank", "1", "-o", "json").json_lines()
    assert [(line["type"], line["stream"], line["text"]) for line in lines] == [
        ("output", "out", "a2 r1 1\n"), ("output", "out", "a2 r1 2\n"), ("output", "out", "a2 r1 3\n"), ("output", "err", "e2 r1\n")]
    assert {(line["attempt"], line["index"]) for line in lines} == {(2, 1)}
    assert all(TIME.fullmatch(line["time"]) for line in lines), lines


@pytest.mark.parametrize("stream, text", [("out", ["a2 r1 1\n", "a2 r1 2\n", "a2 r1 3\n"]), ("err", ["e2 r1\n"])])
def test_a_stream_as_json(ended, stream, text):
    lines = ended.ok("logs", "job", "--rank", "1", "-o", "json", "--stream", stream).json_lines()
    assert [(line["stream"], line["text"]) for line in lines] == [(stream, each) for each in text]


def test_lines_with_their_times(ended):
    several = [line.split(" ", 1) for line in ended.ok("logs", "job", "--timestamps").lines()]
    assert all(TIME.fullmatch(time) for time, _ in several), several
    assert sorted(line for _, line in several) == sorted([*lines_of(0), "[0] e2 r0", *lines_of(1), "[1] e2 r1"])
    one = [line.split(" ", 1) for line in ended.ok("logs", "job", "--timestamps", "--rank", "1").lines()]
    assert [line for _, line in one] == ["a2 r1 1", "a2 r1 2", "a2 r1 3", "e2 r1"]
    assert [time for time, _ in one] == sorted(time for time, _ in one)


def test_a_queued_jobs_ranks_have_their_prefix_from_the_first_line(muster):
    muster.submit("--name", "first", "--cpus", "1", "-n", len(os.sched_getaffinity(0)), "--", "sh", "-c", "until test -e go; do sleep 0.05; done")
    muster.submit("--name", "second", "--cpus", "1", "-n", "2", "--", "echo", "here")
    follower = muster.start("logs", "-f", "second").says("is queued")
    documents = muster.start("logs", "-f", "second", "-o", "json").says("is queued")
    (muster.work / "go").write_text("")
    assert sorted(follower.end().lines()) == ["[0] here", "[1] here"]
    assert {line["type"] for line in documents.end().json_lines()} == {"output"}
    assert muster("wait", "first", "second").code == 0


def test_since(muster):
    script = "echo early; until test -e go; do sleep 0.05; done; echo late; exec sleep 60"
    muster.submit("--name", "slow", "--", "sh", "-c", script)
    wait_for(lambda: muster.ok("logs", "slow").lines() == ["early"], "the first line")
    began = muster.ok("logs", "slow", "--since", "1h").lines()
    wait_for(lambda: muster.ok("logs", "slow", "--since", "500ms").lines() == [], "the first line to be old")
    (muster.work / "go").write_text("")
    wait_for(lambda: muster.ok("logs", "slow", "--since", "1h").lines() == ["early", "late"], "the second line")
    assert began == ["early"]
    assert "early" not in muster.ok("logs", "slow", "--since", "100ms").lines()
    muster.ok("kill", "slow")
    muster.wait_for_state("cancelled", "slow")


def test_following(muster):
    muster.submit("--name", "slow", "-n", "2", "--", "sh", "-c", "echo one; until test -e go; do sleep 0.05; done; echo two")
    follower = muster.start("logs", "-f", "slow").says("[0] one").says("[1] one")
    last = muster.start("logs", "-f", "-n", "0", "--rank", "1", "slow")
    (muster.work / "go").write_text("")
    assert sorted(follower.end().lines()) == ["[0] one", "[0] two", "[1] one", "[1] two"]
    assert last.end().out in ("two\n", "")  # the line may have arrived after the end
    assert follower.end().code == 0


@pytest.mark.parametrize("words", [[], ["--attempt", "all"]])
def test_following_goes_on_into_the_next_attempt(muster, words):
    script = "echo attempt $MUSTER_ATTEMPT; until test -e go$MUSTER_ATTEMPT; do sleep 0.05; done; exit $((2 - MUSTER_ATTEMPT))"
    muster.submit("--name", "again", "--restarts", "1", "--", "sh", "-c", script)
    follower = muster.start("logs", "-f", *words, "again").says("attempt 1")
    (muster.work / "go1").write_text("")
    follower.says("attempt 2")
    (muster.work / "go2").write_text("")
    assert follower.end().lines() == ["attempt 1", "attempt 2"]


def test_logs_before_a_job_runs(muster):
    muster.submit("--name", "first", "--cpus", "1", "-n", len(os.sched_getaffinity(0)), "--", "sh", "-c", "until test -e go; do sleep 0.05; done")
    muster.submit("--name", "second", "--cpus", "1", "--", "echo", "here")
    follower = muster.start("logs", "-f", "second")
    assert muster.ok("logs", "second").out == ""
    (muster.work / "go").write_text("")
    assert follower.end().lines() == ["here"]
    assert muster("wait", "first", "second").code == 0
