# SPDX-License-Identifier: Apache-2.0
"""The end of `muster torchrun`: exit codes, signals, failures and messages."""

import json
import signal

import pytest

from processes import alive, processes_of
from waiting import wait_for

RAISES = """
import os, signal
def step():
    raise RuntimeError("shapes do not match")
if os.environ["RANK"] == "1":
    step()
signal.pause()
"""
HEARS = """
import os, signal, sys
def hear(number, frame):
    os.write(1, f"got {signal.Signals(number).name}\\n".encode())
    sys.exit(1)
for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1"):
    signal.signal(getattr(signal, name), hear)
os.write(1, b"ready\\n")
while True:
    signal.pause()
"""
# Writes the error file of torch's @record, without torch.
RECORDS = """
import json, os, sys
if os.environ["RANK"] == "1":
    error = {"message": {"message": "ValueError: recorded", "extraInfo": {"py_callstack": "Traceback (most recent call last):\\n  deep\\nValueError: recorded", "timestamp": "1"}}}
    json.dump(error, open(os.environ["TORCHELASTIC_ERROR_FILE"], "w"))
    sys.exit(3)
"""


@pytest.mark.parametrize("code", [0, 1, 7])
def test_codes_are_torchruns(muster, code):
    assert muster("torchrun", "--no-python", "sh", "-c", f"exit {code}").code == (1 if code else 0)


def test_a_failure_names_the_rank_the_cause_and_what_next(muster):
    muster.write("train.py", RAISES)
    done = muster("torchrun", "--nproc-per-node", "3", "-r", "2", "--log-dir", "logs", "train.py")
    assert done.code == 1
    lines = done.err.splitlines()
    name = muster.job()["name"]
    assert lines[0] == f"{name}  failed: rank 1 raised RuntimeError: shapes do not match at train.py:4"
    assert lines[1] == "  Traceback (most recent call last):" and "  RuntimeError: shapes do not match" in lines
    assert lines[-3] == "then:  rank 0 was stopped because of it, rank 2 was stopped because of it"
    assert lines[-2].startswith("logs:  ") and lines[-2].endswith("/attempt_0/1/stderr.log")
    assert lines[-1] == f"why:   muster why {name}"


def test_error_files_are_read_kept_and_passed_on(muster):
    muster.write("train.py", RECORDS)
    above = muster.work / "above.json"
    done = muster("torchrun", "--nproc-per-node", "2", "--log-dir", "logs", "train.py", env={"TORCHELASTIC_ERROR_FILE": str(above)})
    assert done.code == 1 and "  ValueError: recorded\n" in done.err, done
    message = json.loads(above.read_text())["message"]
    assert message["message"] == "ValueError: recorded" and message["errorCode"] == 3
    assert [path.parent.name for path in (muster.work / "logs").rglob("error.json")] == ["1"]


def test_every_attempts_error_files_are_kept(muster):
    muster.write("train.py", RECORDS)
    muster("torchrun", "--nproc-per-node", "2", "--max-restarts", "2", "--log-dir", "logs", "train.py")
    kept = sorted(path.relative_to(path.parents[2]).as_posix() for path in (muster.work / "logs").rglob("error.json"))
    assert kept == [f"attempt_{attempt}/1/error.json" for attempt in range(3)]


def test_a_module_that_is_not_there_is_named_before_anything_starts(muster):
    done = muster("torchrun", "--max-restarts", "3", "-m", "no_such_module.train")
    assert done.code == 2 and "has no module `no_such_module`" in done.err and "PYTHON_EXEC" in done.err
    assert muster.ok("ps", "-a", "-o", "name").out == ""
    (muster.work / "mine").mkdir()
    muster.write("mine/train.py", "print('ran')\n")
    for _ in ("learnt", "known"):
        assert muster.ok("torchrun", "-m", "mine.train").out == "ran\n"


def test_run_path_records_what_was_raised(muster):
    muster.write("train.py", "raise KeyError('gone')\n")
    above = muster.work / "above.json"
    assert muster("torchrun", "--run-path", "train.py", env={"TORCHELASTIC_ERROR_FILE": str(above)}).code == 1
    assert json.loads(above.read_text())["message"]["message"] == "KeyError: 'gone'"


def test_a_missing_module_is_explained(muster):
    muster.write("train.py", "import no_such_module_here\n")
    assert "has no module `no_such_module_here`; activate the environment" in muster("torchrun", "train.py").err


def test_a_rank_killed_by_a_signal_is_named(muster):
    done = muster("torchrun", "--no-python", "sh", "-c", "kill -SEGV $$$$")
    assert done.code == 1 and "rank 0 was killed by SIGSEGV" in done.err


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT])
def test_signals_stop_the_job(muster, number):
    muster.write("hears.py", HEARS)
    run = muster.start("torchrun", "hears.py").says("ready")
    done = run.signal(number).end()
    assert (done.lines(), done.code) == (["ready", f"got {number.name}"], 1)
    assert "cancelled: stopped by" in done.err
    assert muster.job()["state"] == "cancelled"


def test_other_signals_stop_it_where_asked(muster):
    muster.write("hears.py", HEARS)
    run = muster.start("torchrun", "--signals-to-handle", "SIGTERM,SIGUSR1", "--nproc-per-node", "2", "-r", "0:3", "hears.py").says("ready")
    assert run.signal(signal.SIGUSR1).end().lines() == ["ready", "got SIGUSR1"]


def test_ranks_that_do_not_listen_are_killed_after_the_timeout(muster):
    script = "trap '' TERM INT; echo ready; while :; do sleep 0.05; done"
    run = muster.start("torchrun", "--shutdown-timeout", "1", "--no-python", "sh", "-c", script).says("ready")
    assert run.signal(signal.SIGTERM).end().code == 1


def test_nothing_is_left_after_sigkill(muster):
    run = muster.start("torchrun", "--nproc-per-node", "2", "--no-python", "sh", "-c", "echo ready; while :; do sleep 0.05; done").says("ready")
    ours = set(processes_of(muster.home))
    run.signal(signal.SIGKILL).process.wait()
    wait_for(lambda: not [pid for pid in ours if alive(pid)], "agent and ranks to be gone")
    muster.ok("torchrun", "--no-python", "true")


def test_restarts_are_counted(muster):
    script = "exit $((2 - TORCHELASTIC_RESTART_COUNT))"
    assert muster("torchrun", "--max-restarts", "1", "--no-python", "sh", "-c", script).code == 1
    done = muster.ok("torchrun", "--max-restarts", "2", "--no-python", "sh", "-c", script)
    assert done.err.count("restarting, attempt") == 2
