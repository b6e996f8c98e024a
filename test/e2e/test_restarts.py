# SPDX-License-Identifier: Apache-2.0
"""A rank ends unexpectedly: the whole gang is ended, and restarted if the job's rules allow it."""

import re

import pytest


def script(text):
    return ["--", "sh", "-c", text]


def test_a_failing_rank_brings_a_second_attempt(muster):
    # Each rank reports that it runs before one fails; in attempt 2 both run at once.
    both_are_here = "a=$MUSTER_ATTEMPT; : > a$a.$MUSTER_RANK; until test -e a$a.0 && test -e a$a.1; do sleep 0.01; done"
    second = "until test -e go; do sleep 0.05; done"
    first = "test $MUSTER_RANK = 0 || exit 3; exec sleep 60"
    run = muster.start("run", "-n", "2", "--restarts", "3", *script(
        f"echo attempt $MUSTER_ATTEMPT restarts $MUSTER_RESTARTS; {both_are_here}; if test $MUSTER_ATTEMPT = 2; then {second}; else {first}; fi"))
    run.says("running again after ")
    (muster.work / "go").write_text("")
    done = run.end()
    assert done.code == 0, done
    assert {"[0] attempt 1 restarts 0", "[1] attempt 2 restarts 1"} < set(done.lines())
    assert "rank 1 exited with code 3 · restarting, attempt 2 of 4" in done.err
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
    ("message out of *luck", "echo out of all luck >&2; exit 1", "out of all luck"),
    ("group worker", "exit 1", "exited with code 1"),
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


def test_never_on_an_exception(muster):
    done = muster("run", "--restarts", "5", "--set", "restarts.never_on=[exception KeyError]", "--", "python3", "-c",
                  "import os; {'1': []}['1' if os.environ['MUSTER_ATTEMPT'] == '1' else 'x'][0]")
    assert "raised IndexError: list index out of range" in done.err and "restarting, attempt 2 of 6" in done.err
    assert "failed: rank 0 raised KeyError: 'x' at <string>:1 (restarts.never_on: exception KeyError), in attempt 2 of 6" in done.err


TORCH_HOOK = """
import sys, traceback
def hook(*exception):
    for line in ''.join(traceback.format_exception(*exception)).split(chr(10)):
        print('[rank0]: ' + line if line else '', file=sys.stderr)
sys.excepthook = hook
"""


def test_never_on_an_exception_of_a_rank_of_a_process_group(muster):
    """torch puts its rank in front of every line of the traceback."""
    muster.write("raises.py", TORCH_HOOK + "raise ValueError('loss is NaN')\n")
    done = muster("run", "--restarts", "3", "--set", "restarts.never_on=[exception ValueError]", "--", "python3", "raises.py")
    assert "failed: rank 0 raised ValueError: loss is NaN at raises.py:7 (restarts.never_on: exception ValueError)" in done.err
    why = muster.ok("why", "@last").out
    assert "(restarts.never_on: exception ValueError)." in why and '  File "' in why, why


def test_what_a_program_caught_is_no_reason(muster):
    muster.write("caught.py", "import os, traceback\ntry:\n    int('x')\nexcept ValueError:\n    traceback.print_exc()\nos._exit(6)\n")
    done = muster("run", "--restarts", "1", "--set", "restarts.never_on=[exception ValueError]", "--set", "restarts.backoff.then=1ms..1ms", "--",
                  "python3", "caught.py")
    assert "failed: rank 0 exited with code 6: ValueError: invalid literal" in done.err and "in attempt 2 of 2" in done.err


def test_restarts_that_do_not_count_are_told_all_the_same(muster):
    muster.ok("run", "--restarts", "1", "--set", "restarts.always_on=[exit 4]", "--set", "restarts.backoff.then=1ms..1ms",
              *script("test $MUSTER_ATTEMPT = 4 || exit 4"))
    assert muster.job()["restarts"] == 3
    assert "attempt 4 ·" in muster.ok("describe", "@last").lines()[0]


def test_a_crash_loop_ends(muster):
    done = muster("run", "--restarts", "1000", "--set", "restarts.crash_loop=3", "--set", "restarts.backoff.then=1ms..1ms",
                  *script("echo step $MUSTER_ATTEMPT of $$ >&2; exit 1"))
    assert "rank 0 exited with code 1: step 3 of " in done.err
    assert "the same failure in 3 attempts in a row, each within a minute (restarts.crash_loop)" in done.err
    assert muster.job()["attempt"] == 3


def test_kills_from_outside_are_no_crash_loop(muster):
    muster.ok("run", "--restarts", "1000", "--set", "restarts.crash_loop=2", "--set", "restarts.backoff.then=1ms..1ms",
              *script("test $MUSTER_ATTEMPT = 6 || kill -KILL $$"))
    assert muster.job()["attempt"] == 6


def test_a_window(muster):
    done = muster("run", "--set", "restarts={limit: 2, window: 1h, backoff: {then: 1ms..1ms}}", *script("exit $MUSTER_ATTEMPT"))
    assert "failed: rank 0 exited with code 3, after 2 restarts within 1 h (restarts.limit, restarts.window), in attempt 3" in done.err


def test_nobody_else_is_touched(muster):
    run = muster.start("run", "-n", "3", "--set", "restarts.mode=none",
                       *script("test $MUSTER_RANK = 0 || exit $MUSTER_RANK; until test -e go; do sleep 0.05; done; echo done"))
    run.says("the other ranks continue (restarts.mode: none)")
    (muster.work / "go").write_text("")
    done = run.end()
    assert "[0] done" in done.lines()
    assert "2 ranks failed in total" in done.err
    assert done.code == 1


@pytest.mark.parametrize("rules, code", [
    ("{limit: -1}", "E1103"), ("{never_on: [SIGFOO]}", "E1110"), ("{never_on: [oom], always_on: [oom]}", "E1302"),
    ("{never_on: [group traner exit 1]}", "E1315"), ("{mode: none, limit: 2}", "E1316"), ("{window: 1h}", "E1316"), ("{mode: all}", "E1204"),
])
def test_rules_that_cannot_be_meant(muster, rules, code):
    job = muster.write("job.yaml", f"restarts: {rules}\ngroups:\n  - {{name: trainer, command: [sh, -c, 'touch started']}}\n")
    done = muster("run", job)
    assert done.code == 2 and f"[{code}]" in done.err and "--> " in done.err, done
    assert not (muster.work / "started").exists()


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
