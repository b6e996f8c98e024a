# SPDX-License-Identifier: Apache-2.0
"""Ranks that make no progress, and programs that only look like it."""

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from processes import alive, parent
from waiting import wait_for

BEAT = 1.0
PROBE = Path(os.environ["MUSTER_BINARY"]).with_name("worker_probe")
PYTHON = sys.executable
REST = "import os, select, time\nrest = lambda seconds: select.select([], [], [], seconds)\n"
FIRST_RESTS = REST + "os.environ['MUSTER_ATTEMPT'] == '2' or rest(1000)"
SLEEPS = REST + "open('up-' + os.environ['MUSTER_RANK'], 'w').write('yes\\n')\nrest(1000)"
# Longer than the timeout that the test sets for them.
PATIENT = 10
LASTS = 25


def script(text):
    return ["--", "sh", "-c", text]


def python(text):
    return ["--", PYTHON, "-c", text]


def pid_of(job, rank):
    return next(r["pid"] for r in job["ranks"] if r["rank"] == rank)


def hang_of(muster):
    return muster.job().get("hang")


@pytest.fixture
def two_sleepers(muster):
    muster.submit("-n", "2", *python(SLEEPS))
    for rank in range(2):
        muster.wait_for_file(f"up-{rank}")
    return muster.wait_for_ranks()


def test_a_stopped_rank_is_told_within_two_beats_with_where_it_stands(muster, two_sleepers):
    events = muster.start("events", "@last", "--follow")
    events.says("running")
    began = time.monotonic()
    os.kill(pid_of(two_sleepers, 1), signal.SIGSTOP)
    events.says("rank 1 is stopped by a signal (SIGSTOP or the like) since ")
    took = time.monotonic() - began
    events.says("it is in ").says("pselect")
    assert took < 2 * BEAT + 0.5, took  # half a second for the commands between
    hang = hang_of(muster)
    assert hang["stack"].startswith("rank 1\n") and "\n  thread " in hang["stack"], hang
    assert "rank 0" not in hang["sentence"]
    why = muster.ok("why", "@last").out
    assert why.startswith("Rank 1 is stopped by a signal")
    assert f"kill -CONT {pid_of(two_sleepers, 1)} on " in why
    assert "running, stopped for " in muster.ok("describe", "@last").out
    assert "running, 1 stopped" in muster.ok("ps").out
    muster.ok("stop", "@last")


def test_the_functions_of_a_stopped_rank_are_named(muster, two_sleepers):
    os.kill(pid_of(two_sleepers, 0), signal.SIGSTOP)
    stack = wait_for(lambda: (hang_of(muster) or {}).get("stack"), "the stack")
    assert "main" in stack or "Py" in stack, stack
    muster.ok("stop", "@last")


def test_one_that_goes_on_is_told_too(muster, two_sleepers):
    os.kill(pid_of(two_sleepers, 1), signal.SIGSTOP)
    wait_for(lambda: hang_of(muster), "the verdict")
    os.kill(pid_of(two_sleepers, 1), signal.SIGCONT)
    wait_for(lambda: not hang_of(muster), "it goes on")
    assert "rank 1 continues after " in muster.sentences()
    assert muster.job()["state"] == "running"
    muster.ok("stop", "@last")


def test_a_program_under_a_shell_is_seen(muster):
    muster.submit(*script("sleep 1000; echo after"))
    job = muster.wait_for_ranks()
    shell = pid_of(job, 0)
    child = wait_for(lambda: [p for p in map(int, filter(str.isdigit, os.listdir("/proc"))) if alive(p) and parent(p) == shell], "its child")[0]
    os.kill(child, signal.SIGSTOP)
    wait_for(lambda: hang_of(muster), "the verdict")
    muster.ok("stop", "@last")


def test_a_stopped_rank_hears_that_it_is_to_end(muster):
    muster.submit("--set", "timeouts.stop=60s", *python("import signal, select, sys\nsignal.signal(signal.SIGTERM, lambda *_: (open('saved', 'w').write('yes\\n'), sys.exit(0)))\nopen('up', 'w').write('yes\\n')\nselect.select([], [], [], 1000)"))
    job = muster.wait_for_ranks()
    muster.wait_for_file("up")
    os.kill(pid_of(job, 0), signal.SIGSTOP)
    wait_for(lambda: hang_of(muster), "the verdict")
    muster.ok("stop", "@last")
    muster.wait_for_state("cancelled")
    assert muster.wait_for_file("saved") == "yes\n"


def test_the_job_file_may_want_a_restart(muster):
    muster.submit("-n", "2", "--restarts", "1", "--set", "hangs.action=restart", *python(FIRST_RESTS))
    job = muster.wait_for_ranks()
    began = time.monotonic()
    os.kill(pid_of(job, 1), signal.SIGSTOP)
    muster.wait_for_state("succeeded")
    assert time.monotonic() - began < 15
    job = muster.job()
    assert (job["attempt"], job["restarts"], job["exit_code"]) == (2, 1, 0)
    assert job["attempts"][0]["cause"].startswith("rank 1 is stopped by a signal")
    assert job["attempts"][0]["culprit"] == 1
    assert "thread" in job["attempts"][0]["stack"]
    assert "thread" in muster.ok("why", "@last").out


def test_without_restarts_left_the_job_fails(muster):
    muster.submit("--set", "hangs.action=restart", *python(SLEEPS))
    job = muster.wait_for_ranks()
    os.kill(pid_of(job, 0), signal.SIGSTOP)
    job = muster.wait_for_state("failed")
    assert job["exit_code"] == 1
    assert "rank 0 is stopped by a signal" in job["sentence"]


def test_a_silent_gang_is_told_as_quiet_and_left_alone(muster):
    muster.submit("-n", "2", "--restarts", "1", "--set", "hangs.action=restart", "--set", "hangs.after=12s", *python(SLEEPS))
    muster.wait_for_ranks()
    hang = wait_for(lambda: hang_of(muster), "the remark")
    assert "no rank has shown activity since " in hang["sentence"]
    line = "<lambda> (<string>:2), in " if (3, 11) <= sys.version_info < (3, 14) else ""
    assert f"rank 0 in {line}pselect" in hang["sentence"] and f"rank 1 in {line}pselect" in hang["sentence"], hang
    job = muster.job()
    assert (job["state"], job["attempt"]) == ("running", 1)
    muster.ok("stop", "@last")


def test_unless_the_job_file_says_that_silence_is_a_hang(muster):
    muster.submit("-n", "2", "--restarts", "1", "--set", "hangs.action=restart", "--set", "hangs.after=12s", "--set", "hangs.even_without_steps=true",
                  *python(FIRST_RESTS))
    muster.wait_for_state("succeeded")
    assert "the gang hangs: no rank has made a step or shown activity for " in muster.job()["attempts"][0]["cause"]
    assert "rank 1\n" in muster.job()["attempts"][0]["stack"]


STEPS = [word for step in range(1, 6) for word in ("progress", step, 0, 0, ",", "rest", 1.2, ",")]


def probe(*words):
    return ["--", str(PROBE), *map(str, words)]


def test_a_gang_that_told_steps_and_makes_none_hangs(muster):
    muster.submit("-n", "2", "--restarts", "1", "--set", "hangs.action=restart", "--set", "hangs.after=12s",
                  *probe("in", 2, "end", 0, ",", *STEPS, "on", 0, "barrier", "a", 600, ",", "barrier", "b", 600))
    muster.wait_for_state("succeeded")
    job = muster.job()
    cause = job["attempts"][0]["cause"]
    assert "the gang hangs: no rank has made a step or shown activity for " in cause
    assert "waits for rank " in cause
    assert "rank 0\n" in job["attempts"][0]["stack"] and "rank 1\n" in job["attempts"][0]["stack"]


def test_who_does_not_come_to_a_barrier_is_named(muster):
    muster.submit("-n", "2", "--set", "hangs.action=restart", "--set", "hangs.after=12s", *probe("watch", ",", "on", 0, "barrier", "end", 600, ",", "until-stop"))
    muster.wait_for_ranks()
    hang = wait_for(lambda: hang_of(muster), "the remark")
    assert "barrier `end` waits for rank 1" in hang["sentence"], hang
    assert muster.job()["attempt"] == 1
    muster.ok("stop", "@last")


# Stands in for NCCL, which needs a GPU: rank 0 answers as documented for RAS, at the address that muster sets.
RAS_STAND_IN = REST + """
import json, socket
if os.environ["LOCAL_RANK"] == "0":
    host, _, port = os.environ["NCCL_RAS_ADDR"].rpartition(":")
    server = socket.create_server((host, int(port)))
    count = lambda rank, done: {"rank": rank, "host": host, "pid": os.getpid(), "collective_counts": {"AllReduce": done}}
    status = json.dumps({"communicators": [{"size": 2, "ranks": [count(0, 17), count(1, 16)], "missing_ranks": []}]})
    while True:
        client, _ = server.accept()
        for line in client.makefile():
            client.sendall({"C": b"SERVER PROTOCOL 2\\n", "T": b"OK\\n", "S": b"OK\\n"}[line[0]] if line != "STATUS\\n" else status.encode())
            if line == "STATUS\\n":
                break
        client.shutdown(socket.SHUT_RDWR)
rest(1000)
"""


def test_what_nccl_knows_of_a_gang_that_hangs_is_asked(muster):
    muster.submit("-n", "2", "--framework", "torch", "--set", "warm=off", "--set", "hangs.action=dump", "--set", "hangs.after=12s", "--set", "hangs.even_without_steps=true",
                  *python(RAS_STAND_IN))
    hang = wait_for(lambda: hang_of(muster), "the verdict")
    assert "NCCL counts: other ranks have launched 17 AllReduce, but rank 1 of 2 " in hang["sentence"], hang
    assert "NCCL counts: other ranks have launched 17 AllReduce" in hang["stack"]
    muster.ok("stop", "@last")


@pytest.mark.parametrize("pace, slow", [(0.5, True), (0.2, False)])
def test_a_slow_rank_is_told(muster, pace, slow):
    def steps(each):
        return [word for step in range(1, int(16 / each)) for word in ("progress", step, 0, 0, ",", "rest", each, ",")]
    words = [*steps(0.2)[:-1]]
    muster.submit("-n", "3", "--set", "hangs.after=1h", *script(
        f"if [ $MUSTER_RANK = 1 ]; then exec {PROBE} {' '.join(map(str, steps(pace)[:-1]))}; else exec {PROBE} {' '.join(map(str, words))}; fi"))
    if slow:
        told = wait_for(lambda: "slow: 0." in (text := muster.ok("describe", "@last").out) and text, "the slow rank")
        assert "rank 1" in next(line for line in told.splitlines() if "slow: 0." in line)
        assert "running, 1 slow" in muster.ok("ps").out
    else:
        muster.wait_for_state("succeeded")
        assert "slow: " not in muster.ok("describe", "@last").out
    muster("stop", "@last")


# Work of programs that looks like a hang and is none. All at once, with a busy loop for every CPU. The silent ones may be told to
# be silent, and no more.
INNOCENT = {
    "imports": python(f"import importlib, sys, time\nend = time.monotonic() + {LASTS}\nwhile time.monotonic() < end:\n    for name in ('json', 'decimal', 'argparse', 'html.entities'):\n        sys.modules.pop(name, None)\n        importlib.import_module(name)"),
    "compiles": script(f"end=$(($(date +%s) + {LASTS})); while [ $(date +%s) -lt $end ]; do seq -f 'int f%g(int x) {{ return x * 7 %% 5; }}' 2000 > big$$.c; cc -O1 -c big$$.c -o big$$.o || exit 0; done"),
    "serves": script(f"sleep {LASTS}"),
    "checkpoints": python(f"import os, time\nend = time.monotonic() + {LASTS}\nwhile time.monotonic() < end:\n    with open(f'checkpoint-{{os.getpid()}}', 'wb') as f:\n        f.write(os.urandom(8 << 20)); f.flush(); os.fsync(f.fileno())"),
    "waits for one slow rank": ["-n", "2", *python(REST + f"rank = os.environ['MUSTER_RANK']\nif rank == '1':\n    [(rest(0.5), open('/dev/zero', 'rb').read(1 << 20)) for _ in range({2 * LASTS})]; open('loaded', 'w').write('x')\nelse:\n    while not os.path.exists('loaded'): rest(0.2)")],
    "stops its own child": script(f"sleep {LASTS} & kill -STOP $!; sleep {LASTS}; kill -CONT $!; wait"),
    "is limited by stops": script(f"me=$$; (end=$(($(date +%s) + {LASTS})); while [ $(date +%s) -lt $end ]; do kill -STOP $me; sleep 0.2; kill -CONT $me; sleep 0.05; done) & exec {PYTHON} -c 'import select; select.select([], [], [], {LASTS + 2})'"),
    "computes in silence": python(f"import time\nend = time.monotonic() + {LASTS}\nwhile time.monotonic() < end: sum(range(1000))"),
    "prints rarely": script(f"for i in $(seq {LASTS // 4}); do sleep 4; echo $i; done"),
    "many children": script(f"for i in $(seq {LASTS * 2}); do sleep 0.5; sh -c true; done"),
}


MAY_BE_QUIET = ("serves", "stops its own child", "is limited by stops")


def test_ten_innocent_programs_under_load(muster):
    load = [muster.start("run", "--standalone", *script(f"end=$(($(date +%s) + {LASTS})); while [ $(date +%s) -lt $end ]; do :; done")) for _ in range(os.cpu_count())]
    names = {what: muster.submit("--set", "hangs.action=restart", "--set", f"hangs.after={PATIENT}s", *words) for what, words in INNOCENT.items()}
    for what, name in names.items():
        wait_for(lambda name=name: muster.job(name)["state"] in ("succeeded", "failed"), lambda name=name: muster.ok("describe", name), seconds=3 * LASTS)
        job, told = muster.job(name), muster.sentences(name)
        assert (job["state"], job["attempt"]) == ("succeeded", 1), f"{what}: {told}"
        verdicts = ("is stopped by", "stuck in", "the gang hangs") + (() if what in MAY_BE_QUIET else ("shown activity",))
        assert not any(verdict in told for verdict in verdicts), f"{what}: {told}"
    for each in load:
        each.end()
