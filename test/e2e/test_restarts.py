"""A rank dies: the whole gang goes, and comes again as far as the job's rules allow."""

import re

import pytest

from processes import alive
from waiting import wait_for

DAEMON = """
import os, signal, sys
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        print(os.getpid(), file=open("daemon", "w"))
        signal.pause()
    os._exit(0)
os.wait()
while not os.path.exists("daemon") or not open("daemon").read().endswith("\\n"):
    pass
sys.exit(int(sys.argv[1]))
"""


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


def test_a_survivor_gets_its_grace_and_then_sigkill(muster):
    survivor = "trap 'echo asked' TERM; echo > ready; while :; do sleep 0.05; done"
    failing = "until test -e ready; do sleep 0.05; done; exit 3"
    done = muster("run", "-n", "2", "--grace", "200ms", *script(f"test $MUSTER_RANK = 1 || {{ {survivor}; }}; {failing}"))
    assert done.code == 1
    assert done.lines() == ["[0] asked"]
    assert muster.job()["ranks"][0]["exit"]["sentence"].startswith("was killed by SIGKILL")
    assert "failed: rank 1 exited with code 3" in done.err


def test_a_survivor_may_end_well_within_its_grace(muster):
    survivor = "trap 'echo saved; exit 0' TERM; echo > ready; while :; do sleep 0.05; done"
    done = muster("run", "-n", "2", "--grace", "1m",
                  *script(f"test $MUSTER_RANK = 1 || {{ {survivor}; }}; until test -e ready; do sleep 0.05; done; exit 3"))
    assert (done.code, done.lines()) == (1, ["[0] saved"])


@pytest.mark.parametrize("code", [0, 1])
def test_a_daemon_that_a_rank_left_behind_is_gone(muster, code):
    assert muster("run", "--", "python3", "-c", DAEMON, str(code)).code == code
    pid = int((muster.work / "daemon").read_text())
    wait_for(lambda: not alive(pid), f"the daemon {pid} to be killed")


def test_a_daemon_does_not_live_into_the_next_attempt(muster):
    muster.write("first.py", DAEMON)
    second = 'test $MUSTER_ATTEMPT = 1 && exec python3 first.py 1; kill -0 $(cat daemon) 2>/dev/null && echo alive || echo gone'
    done = muster.ok("run", "--restarts", "1", *script(second))
    assert done.lines() == ["gone"]


def test_grandchildren_of_a_rank_end_with_it(muster):
    muster("run", *script("sleep 60 & sh -c 'sleep 61 & echo $! > grandchild; wait' & until test -s grandchild; do sleep 0.05; done; exit 1"))
    pid = int((muster.work / "grandchild").read_text())
    wait_for(lambda: not alive(pid), f"the grandchild {pid} to be killed")


def test_every_attempt_meets_at_a_fresh_port(muster):
    done = muster("run", "--framework", "torch", "--restarts", "3", "--set", "restarts.backoff.then=1ms..1ms", *script("echo $MASTER_PORT; exit 1"))
    ports = done.lines()
    assert len(ports) == len(set(ports)) == 4
    assert all(20000 <= int(port) <= 27999 for port in ports)


def test_why_tells_of_every_attempt(muster):
    traceback = "import sys; raise RuntimeError('shapes do not match')"
    muster("run", "--restarts", "1", "-n", "2", "--", "python3", "-c", f"import os, time\nif os.environ['MUSTER_RANK'] == '0': time.sleep(60)\n{traceback}")
    why = muster.ok("why", "@last").out
    assert "Rank 1 raised RuntimeError: shapes do not match" in why
    assert "in each of 2 attempts" in why
    assert len(re.findall(r"(?m)^  [12]  ", why)) == 2
    assert "logs " in why
