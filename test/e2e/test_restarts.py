"""A rank dies: the whole gang goes, and comes again as far as the job's rules allow."""

import re

import pytest


def script(text):
    return ["--", "sh", "-c", text]


def test_a_failing_rank_brings_a_second_attempt(muster):
    done = muster.ok("run", "-n", "2", "--restarts", "3",
                     *script("echo attempt $MUSTER_ATTEMPT restarts $MUSTER_RESTARTS; test $MUSTER_ATTEMPT = 2 || { test $MUSTER_RANK = 0 || exit 3; exec sleep 60; }"))
    assert {"[0] attempt 1 restarts 0", "[1] attempt 2 restarts 1"} < set(done.lines())
    assert "rank 1 exited with code 3 · restarting, attempt 2 of 4" in done.err
    assert "running again after " in done.err
    assert " after 1 restart" in done.err
    job = muster.job()
    assert (job["attempt"], job["restarts"], job["exit_code"]) == (2, 1, 0)


def test_the_limit(muster):
    done = muster("run", "--propagate", "--restarts", "2", "--set", "restarts.backoff.then=10ms..10ms", *script("echo $MUSTER_ATTEMPT; exit 7"))
    assert (done.code, done.lines()) == (7, ["1", "2", "3"])
    assert "failed: rank 0 exited with code 7, in attempt 3 of 3" in done.err


@pytest.mark.parametrize("rule, end, sentence", [
    ("exit 7", "exit 7", "(restarts.never_on: exit 7)"),
    ("SIGSEGV", "kill -SEGV $$", "was killed by SIGSEGV"),
])
def test_never_on(muster, rule, end, sentence):
    done = muster("run", "--restarts", "5", "--set", f"restarts.never_on=[{rule}]", *script(f"echo $MUSTER_ATTEMPT; {end}"))
    assert (done.code, done.lines()) == (1, ["1"])
    assert sentence in done.err
    assert f"restarts.never_on: {rule}" in done.err


def test_always_on_does_not_count(muster):
    done = muster.ok("run", "--restarts", "0", "--set", "restarts.always_on=[SIGBUS]", "--set", "restarts.backoff.then=10ms..10ms",
                     *script("test $MUSTER_ATTEMPT = 4 || kill -BUS $$"))
    assert muster.job()["attempt"] == 4
    assert "rank 0 was killed by SIGBUS · restarting" in done.err


def test_the_backoff_is_said_and_doubles(muster):
    muster("run", "--restarts", "3", "--set", "restarts.backoff.first=0s", "--set", "restarts.backoff.then=100ms..150ms", *script("exit 1"))
    waits = re.findall(r"restarting, attempt \d of 4(?:, in (\d+) ms)?", muster.sentences())
    assert len(waits) == 3
    assert waits[0] == ""
    assert 50 <= int(waits[1]) <= 150 and 75 <= int(waits[2]) <= 225


def test_a_stop_during_the_backoff(muster):
    run = muster.start("run", "--restarts", "3", "--set", "restarts.backoff.first=1h", *script("exit 1"))
    run.says("restarting, attempt 2 of 4, in 1 h")
    muster.ok("stop", "@last")
    assert run.end().code != 0
    assert muster.job()["state"] == "cancelled"


def test_every_attempt_meets_at_a_fresh_port(muster):
    done = muster("run", "--framework", "torch", "--restarts", "3", "--set", "restarts.backoff.then=1ms..1ms", *script("echo $MASTER_PORT; exit 1"))
    ports = done.lines()
    assert len(ports) == len(set(ports)) == 4
    assert all(20000 <= int(port) <= 27999 for port in ports)


def test_why_tells_of_every_attempt(muster):
    script = "import os, signal\nif os.environ['MUSTER_RANK'] == '0': signal.pause()\nraise RuntimeError('shapes do not match')"
    muster("run", "--restarts", "1", "-n", "2", "--", "python3", "-c", script)
    why = muster.ok("why", "@last").out
    assert "Rank 1 raised RuntimeError: shapes do not match" in why
    assert "in each of 2 attempts" in why
    assert len(re.findall(r"(?m)^  [12]  ", why)) == 2
    assert "logs " in why
