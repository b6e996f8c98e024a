# SPDX-License-Identifier: Apache-2.0
"""Why a job failed: `why` shows the first failure with its evidence."""

import json
import os
import shlex
from pathlib import Path

import pytest

from waiting import wait_for

CORE_PATTERN = Path("/proc/sys/kernel/core_pattern").read_text()


def test_the_traceback_of_the_first_rank_that_fails(muster):
    program = muster.write("train.py", """import os, signal
def step(batch):
    raise RuntimeError(f"shapes ({batch},10) and (31,10) do not match")
if os.environ["MUSTER_RANK"] == "0":
    signal.sigwait({signal.SIGUSR1})
step(32)
""")
    muster("run", "-n", "2", "--", "python3", program)
    why = muster.ok("why", "@last").out
    assert "Rank 1 raised RuntimeError: shapes (32,10) and (31,10) do not match, at train.py:3." in why
    assert '\n  Traceback (most recent call last):\n' in why and "\n      step(32)\n" in why
    assert "Rank 0 was stopped because of it." in why
    first = json.loads(muster.ok("describe", "@last", "-o", "json").out)["attempts"][0]
    assert first["exit"]["traceback"].splitlines()[-1] == "RuntimeError: shapes (32,10) and (31,10) do not match"
    assert first["consequences"] == ["rank 0 was stopped because of it"]


def test_a_rank_without_output_is_no_evidence(muster):
    muster("run", "-n", "2", "--", "sh", "-c", "test $MUSTER_RANK = 0 || exit 3; echo word; sleep 100")
    assert "evidence:  none: rank 1 printed nothing\n" in muster.ok("why").out
    ranks = muster.job()["ranks"]
    assert [rank["exit"]["sentence"] for rank in ranks] == ["was stopped because another rank failed", "exited with code 3"]
    muster("run", "--", "sh", "-c", "echo word; exit 3")
    assert "evidence:  muster logs" in muster.ok("why").out


def test_an_exception_that_only_the_error_file_holds(muster):
    program = muster.write("train.py", """import json, os
trace = 'Traceback (most recent call last):\\n  File "/x/train.py", line 7, in main\\nValueError: loss is nan\\n'
with open(os.environ["TORCHELASTIC_ERROR_FILE"], "w") as file:
    json.dump({"message": {"message": "ValueError: loss is nan", "extraInfo": {"py_callstack": trace, "timestamp": "1"}}}, file)
print("bye", file=__import__("sys").stderr)
os._exit(1)
""")
    done = muster("run", "--framework", "torch", "--set", "warm=off", "--", "python3", program)
    assert "failed: rank 0 raised ValueError: loss is nan at train.py:7" in done.err
    assert '  File "/x/train.py", line 7, in main' in muster.ok("why", "@last").out


def test_who_is_killed_from_outside_has_no_failure_message(muster):
    program = muster.write("big.py", "import os, sys\nheld = bytearray(300 << 20)\nprint('all is well', file=sys.stderr)\nos.kill(os.getpid(), 9)\n")
    done = muster("run", "--set", "warm=off", "--", "python3", program)
    assert "failed: rank 0 was killed by SIGKILL" in done.err, done
    if os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") > 8 << 30:  # the program used little of it
        assert "its memory" not in done.err
    assert "all is well" not in done.err.split("failed:")[1].splitlines()[0]
    if "\noom_kill " in Path("/proc/vmstat").read_text():  # nothing on this machine lacks memory
        why = muster.ok("why", "@last").out
        assert "for lack of memory" in why and "so the program itself or another process sent SIGKILL." in why and "dmesg" not in why, why


def test_a_core_file_is_named(muster):
    muster("run", "--", "sh", "-c", "ulimit -c unlimited; kill -SEGV $$")
    exit = json.loads(muster.ok("describe", "@last", "-o", "json").out)["attempts"][0]["exit"]
    if CORE_PATTERN.startswith(("|", "/")):  # the system's collector does not give us the file
        assert "core" in exit["sentence"] or not exit.get("core_file")
        return
    assert exit["sentence"] == "was killed by SIGSEGV (core dumped)"
    core = Path(exit["core_file"])
    assert core.parent == muster.work and core.read_bytes()[:4] == b"\x7fELF"
    assert f"gdb -c {core}" in muster.ok("why", "@last").out


RAISES = """def step(batch):
    raise RuntimeError(f"shapes ({batch},10) and (31,10) do not match")
step(32)
"""
RUNS = "import subprocess, sys\nsubprocess.run([sys.executable, 'train.py'], check=True)\n"


@pytest.mark.parametrize("launcher", ["python3 launch.py", "sh -c 'python3 train.py || { echo training failed >&2; exit 1; }'",
                                      "sh -c 'python3 launch.py; exit 3'"])
def test_a_launcher_inside_a_rank_does_not_hide_the_exception(muster, launcher):
    muster.write("train.py", RAISES)
    muster.write("launch.py", RUNS)
    done = muster("run", "--set", "warm=off", "--", *shlex.split(launcher))
    assert done.code != 0 and "RuntimeError: shapes (32,10) and (31,10) do not match at train.py:2" in done.err.split("failed:")[1]
    why = muster.ok("why", "@last").out
    assert "\n      step(32)\n" in why and "CalledProcessError" not in why, why


# assert() of a library in C prints this and calls abort().
ABORTS = """import ctypes
def launch():
    ctypes.CDLL(None).__assert_fail(b"grid > 0", b"kernel.cc", 12, b"launch")
launch()
"""


@pytest.mark.parametrize("faulthandler", [False, True], ids=["alone", "with PYTHONFAULTHANDLER"])
def test_the_message_before_abort_is_the_cause(muster, faulthandler):
    muster.write("train.py", ABORTS)
    flags = ["--env", "PYTHONFAULTHANDLER=1"] if faulthandler else []
    done = muster("run", "--set", "warm=off", *flags, "--", "python3", "train.py")
    assert "rank 0 was killed by SIGABRT" in done.err, done
    assert "kernel.cc:12: launch: Assertion `grid > 0' failed." in done.err.split("failed:")[1].splitlines()[0]
    why = muster.ok("why", "@last").out
    assert ("failed., at train.py:3" in why) == faulthandler, why
    assert ("train.py\", line 3 in launch" in why) == faulthandler and ("PYTHONFAULTHANDLER" in why) != faulthandler, why


def test_one_sentence_everywhere(muster):
    done = muster("run", "--", "sh", "-c", "echo no luck >&2; exit 7")
    sentence = "rank 0 exited with code 7: no luck"
    assert f"failed: {sentence}" in done.err.splitlines()[-1] or f"failed: {sentence}" in done.err
    for view in (["why"], ["describe"], ["events"]):
        assert sentence in muster.ok(*view, "@last").out.replace("Rank 0", "rank 0"), view
    assert sentence in muster.ok("ps", "-a").out


def test_where_the_ranks_of_a_running_job_are(muster):
    program = muster.write("train.py", """import os, signal
def load():
    print("there", flush=True)
    signal.pause()
if os.environ["MUSTER_RANK"] == "0":
    os.read(os.pipe()[0], 1)
load()
""")
    muster.submit("--name", "still", "-n", "2", "--", "python3", "-u", program)
    wait_for(lambda: "there" in muster.ok("logs", "still").out, "rank 1 to pause")
    wait_for(lambda: "rank 0: <module> (train.py:6), in read" in muster.ok("why", "still").out, "rank 0 to be in its pipe")
    why = muster.ok("why", "still").out
    assert why.startswith("still is running; nothing has failed so far.\nWhere its ranks are now:\n")
    assert "\n  rank 1: load (train.py:4), in pause" in why and "\n    <module> (train.py:7)\n" in why
    ranks = json.loads(muster.ok("why", "still", "-o", "json").out)["ranks"]
    assert [rank["standing"]["place"].split(",")[0] for rank in ranks] == ["<module> (train.py:6)", "load (train.py:4)"]
    muster.ok("stop", "still")


def test_an_exception_of_a_rank_that_still_runs(muster):
    program = muster.write("train.py", """import os, threading
threading.Thread(target=threading.Event().wait).start()
if os.environ["MUSTER_RANK"] == "1":
    raise ValueError("loss is nan")
""")
    muster.submit("--name", "half", "-n", "2", "--", "python3", program)
    said = "half is running.\nRank 1 has printed an exception and still runs: ValueError: loss is nan at train.py:4.\n"
    wait_for(lambda: muster.ok("why", "half").out.startswith(said), lambda: muster.ok("why", "half").out)
    told = muster.ok("why", "half", "-o", "json").json()
    assert told["ranks"][1]["standing"]["exception"] == "ValueError: loss is nan at train.py:4"
    assert told["why"]["notes"] == ["rank 1 has printed an exception and still runs: ValueError: loss is nan at train.py:4"]
    muster.ok("stop", "half")


def test_the_lines_below_a_rank_are_those_of_its_main_thread(muster):
    program = muster.write("train.py", """import os, threading
def prefetch():
    threading.Event().wait()
threading.Thread(target=prefetch, daemon=True).start()
def load():
    print("there", flush=True)
    os.read(os.pipe()[0], 1)
load()
""")
    muster.submit("--name", "threads", "--", "python3", "-u", program)
    wait_for(lambda: "there" in muster.ok("logs", "threads").out, "the rank to read")
    wait_for(lambda: "rank 0: load (train.py:7), in read" in muster.ok("why", "threads").out, "the rank to be in its pipe")
    why = muster.ok("why", "threads").out
    assert "\n    <module> (train.py:8)\n" in why and "prefetch" not in why and "threading.py" not in why, why
    muster.ok("stop", "threads")
