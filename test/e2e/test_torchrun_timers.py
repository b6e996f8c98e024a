# SPDX-License-Identifier: Apache-2.0
"""The file timer of `muster torchrun` (TORCHELASTIC_ENABLE_FILE_TIMER): ranks' requests in the pipe, and their effect. Without torch."""

import os
import signal
import stat

from processes import alive, processes_of
from waiting import wait_for

ON = {"TORCHELASTIC_ENABLE_FILE_TIMER": "1"}
# Writes a request as torch's client does, for the process `pid`.
TIMERS = """
import json, os, signal, sys, time
def line(scope, left, number=signal.SIGKILL, pid=None):
    fields = {"version": 1, "pid": pid or os.getpid(), "scope_id": scope, "expiration_time": -1 if left is None else time.time() + left, "signal": number}
    return json.dumps(fields).encode() + b"\\n"
def write(*lines):
    pipe = os.open(os.environ["TORCHELASTIC_TIMER_FILE"], os.O_WRONLY | os.O_NONBLOCK)
    os.write(pipe, b"".join(lines))
    os.close(pipe)
def timer(*fields):
    write(line(*fields))
first = os.environ["TORCHELASTIC_RESTART_COUNT"] == "0"
"""
EXPIRES = TIMERS + """
if first and os.environ["RANK"] == "1":
    timer("train.py#41", 0.1)
    signal.pause()
"""
IN_A_CHILD = TIMERS + """
if os.fork() == 0:
    timer("loader", 0.1)
    signal.pause()
os.wait()
"""
RELEASES = TIMERS + """
write(line("step", 3600), line("step", 0.1), line("step", None))  # at once: else it may expire before it is released
timer("tell", 0.1, 0)
os.write(os.open(os.environ["TORCHELASTIC_TIMER_FILE"], os.O_WRONLY | os.O_NONBLOCK), b"no timer\\n" + b"x" * 9000 + b"\\n")
timer("told", 0.3, signal.SIGUSR1)
signal.sigwait([signal.SIGUSR1])
"""
SHOWS = "import os\nprint(os.environ['TORCHELASTIC_TIMER_FILE'], oct(os.stat(os.environ['TORCHELASTIC_TIMER_FILE']).st_mode), flush=True)\n"


def test_a_timer_that_expires_is_the_cause(muster):
    muster.write("train.py", EXPIRES)
    done = muster("torchrun", "--nproc-per-node", "2", "train.py", env=ON)
    assert done.code == 1 and "failed: rank 1 was killed by SIGKILL: its timer `train.py#41` expired\n" in done.err, done


def test_it_costs_a_restart_as_any_failure(muster):
    muster.write("train.py", EXPIRES)
    done = muster.ok("torchrun", "--nproc-per-node", "2", "--max-restarts", "1", "train.py", env=ON)
    assert "rank 1 was killed by SIGKILL: its timer `train.py#41` expired" in done.err and done.err.count("restarting, attempt") == 1


def test_of_a_process_that_a_rank_started_too(muster):
    muster.write("train.py", IN_A_CHILD)
    done = muster("torchrun", "train.py", env=ON)
    assert done.code == 1 and "rank 0 was killed by SIGKILL: the timer `loader` of its process " in done.err, done


def test_released_timers_and_nonsense_do_nothing_and_signals_are_as_asked(muster):
    muster.write("train.py", "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])\n" + RELEASES)
    assert muster.ok("torchrun", "train.py", env=ON).err == ""


def test_the_pipe_is_its_users_alone_and_goes_with_the_job(muster):
    muster.write("train.py", SHOWS)
    path, mode = muster.ok("torchrun", "train.py", env=ON).out.split()
    assert int(mode, 8) == stat.S_IFIFO | 0o600
    wait_for(lambda: not os.path.exists(path), f"{path} to go")
    typed = muster.work / "timers"
    assert muster.ok("torchrun", "train.py", env=ON | {"TORCHELASTIC_TIMER_FILE": str(typed)}).out.split()[0] == str(typed)
    wait_for(lambda: not typed.exists(), f"{typed} to go")
    typed.write_text("mine")
    assert muster.ok("torchrun", "train.py", env=ON | {"TORCHELASTIC_TIMER_FILE": "timers"}).out.split()[0] != "timers"
    assert typed.read_text() == "mine"


def test_nothing_of_it_is_left_after_sigkill(muster):
    muster.write("train.py", SHOWS + "import signal\nsignal.pause()\n")
    run = muster.start("torchrun", "train.py", env=ON).says("0o10600")
    ours = set(processes_of(muster.home))
    run.signal(signal.SIGKILL).process.wait()
    wait_for(lambda: not [pid for pid in ours if alive(pid)], "agent and rank to be gone")
    assert not os.path.exists(run.out().split()[0])
    muster.ok("torchrun", "--no-python", "true")  # it removes the socket of the killed one


def test_without_it_there_is_no_pipe(muster):
    muster.write("train.py", "import os; print(os.environ.get('TORCHELASTIC_TIMER_FILE'))\n")
    assert muster.ok("torchrun", "train.py").out == "None\n"


def test_job_files_have_it_too(muster):
    job = muster.write("job.yaml", "name: timed\nframework: torch\nenv: {TORCHELASTIC_ENABLE_FILE_TIMER: '1'}\ncommand: [python3, train.py]\n")
    muster.write("train.py", EXPIRES.replace('"1"', '"0"'))
    done = muster("run", str(job))
    assert done.code != 0 and "rank 0 was killed by SIGKILL: its timer `train.py#41` expired" in done.err, done
