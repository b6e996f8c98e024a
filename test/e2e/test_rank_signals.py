# SPDX-License-Identifier: Apache-2.0
"""Stop signals as the processes of a rank get them, and signals that a rank inherits as ignored."""

import signal

import pytest

# Its helper answers as long as it lives. On SIGTERM the main process still needs it to save.
WITH_HELPER = """
import multiprocessing, signal, sys
def serve(end):
    while end.recv(): end.send("batch")
def save(number, frame):
    here.send(True)
    print("saved", here.recv(), flush=True)
    sys.exit(0)
if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    helper = context.Process(target=serve, args=(there,), daemon=True)
    helper.start()
    there.close()
    signal.signal(signal.SIGTERM, save)
    print("ready", file=open("ready", "w"))
    while True: signal.pause()
"""
SAVES = """
import os, signal, sys, time
def save(number, frame):
    print("saved", flush=True)
    sys.exit(0)
signal.signal(getattr(signal, sys.argv[1]), save)
print("ready", file=open("ready", "w"))
while True: signal.pause()
"""
WRAPPER = "import subprocess, sys; subprocess.run([sys.executable, 'saves.py', 'SIGTERM']); print('not reached')"
BEHIND = {
    "a shell script": ["sh", "-c", "python3 saves.py SIGTERM; echo not reached"],
    "a script in Python": ["python3", "wrapper.py"],
    "a shell script with a trap": ["bash", "-c", "trap 'exit 1' TERM; python3 saves.py SIGTERM; echo not reached"],
    "two shells": ["sh", "-c", "sh -c 'python3 saves.py SIGTERM; echo not reached'; echo not reached"],
}


def test_helpers_of_a_rank_answer_while_it_saves(muster):
    muster.write("rank.py", WITH_HELPER)
    muster.submit("--name", "loader", "--", "python3", "rank.py")
    muster.wait_for_file("ready")
    muster.ok("stop", "loader")
    assert muster("wait", "loader").code != 0
    assert muster.ok("logs", "loader").lines() == ["saved batch"]


@pytest.mark.parametrize("command", BEHIND.values(), ids=BEHIND)
def test_a_program_behind_another_one_is_asked_too(muster, command):
    muster.write("saves.py", SAVES)
    muster.write("wrapper.py", WRAPPER)
    muster.submit("--name", "behind", "--", *command)
    muster.wait_for_file("ready")
    muster.ok("stop", "behind")
    assert muster("wait", "behind").code != 0
    assert muster.ok("logs", "behind").lines() == ["saved"]
    assert "left" not in muster.sentences("behind"), "it ended when it was asked"


@pytest.mark.parametrize("shell", ["", "trap 'exit 1' TERM; "], ids=["a shell", "a shell with a trap"])
def test_a_reader_of_a_program_that_saves_gets_all_its_output(muster, shell):
    muster.write("saves.py", SAVES.replace('print("saved"', '[print("saving", n, flush=True) for n in range(5000)]; print("saved"'))
    muster.submit("--name", "piped", "--", "bash", "-c", shell + "python3 saves.py SIGTERM | tee log | cat; echo not reached")
    muster.wait_for_file("ready")
    muster.ok("stop", "piped")
    assert muster("wait", "piped").code != 0
    assert muster.ok("logs", "piped").lines() == [f"saving {n}" for n in range(5000)] + ["saved"]
    assert (muster.work / "log").read_text().endswith("saved\n")


def test_a_trap_decides_what_a_program_in_the_background_gets(muster):
    muster.write("saves.py", SAVES)
    script = "trap 'kill -USR1 $P; wait $P' TERM; python3 saves.py SIGUSR1 & P=$!; wait $P"
    done = muster.shell(f"{muster.binary} submit -q --name trap -- bash -c \"{script.replace('$', chr(92) + '$')}\"")
    assert done.code == 0, done
    muster.wait_for_file("ready")
    muster.ok("stop", "trap")
    assert muster("wait", "trap").code != 0
    assert muster.ok("logs", "trap").lines() == ["saved"]


def test_a_program_behind_a_shell_gets_the_signal_that_was_asked_for(muster):
    muster.write("saves.py", SAVES)
    run = muster.start("torchrun", "--no-python", "sh", "-c", "python3 saves.py SIGHUP; echo not reached")
    muster.wait_for_file("ready")
    done = run.signal(signal.SIGHUP).end()
    assert done.code != 0 and done.lines() == ["saved"], done


def test_a_program_behind_a_shell_has_the_rest_of_the_grace_only(muster):
    muster.write("deaf.py", SAVES.replace("sys.exit(0)", "pass"))
    muster.submit("--name", "deaf", "--", "sh", "-c", "python3 deaf.py SIGTERM; echo not reached")
    muster.wait_for_file("ready")
    muster.ok("stop", "deaf", "--grace", "300ms")
    assert muster("wait", "deaf").code != 0
    assert muster.ok("logs", "deaf").lines() == ["saved"]
    assert "rank 0 left `python3 deaf.py SIGTERM`" in muster.sentences("deaf")


def test_a_program_behind_a_shell_is_asked_before_a_restart(muster):
    muster.write("saves.py", SAVES)
    script = """test $MUSTER_ATTEMPT = 1 || exit 0
test $MUSTER_RANK = 0 || { until test -s ready; do sleep 0.05; done; exit 3; }
python3 saves.py SIGTERM; echo not reached"""
    done = muster.ok("run", "-n", "2", "--restarts", "1", "--grace", "1m", "--", "sh", "-c", script)
    assert done.lines() == ["[0] saved"]


def ignored(text):
    return int(text.split()[1], 16)


@pytest.mark.parametrize("prefix, numbers", [
    ("", []),
    ("trap '' USR1 TERM;", [signal.SIGUSR1, signal.SIGTERM]),
    ("trap '' PIPE;", []),
    ("exec nohup", [signal.SIGHUP]),
])
def test_ranks_ignore_what_their_command_ignores(muster, prefix, numbers):
    done = muster.shell(f"{prefix} {muster.binary} run -q -n 2 -- grep SigIgn /proc/self/status </dev/null")
    assert done.code == 0, done
    wanted = sum(1 << (number - 1) for number in numbers)
    assert [ignored(line.partition("] ")[2]) for line in done.lines()] == [wanted, wanted], done


def test_a_program_beside_a_rank_can_be_interrupted(muster):
    muster.shell(f"trap '' INT; {muster.binary} submit -q --name background -- sh -c 'echo > ready; exec sleep 600'")
    muster.wait_for_file("ready")
    assert ignored(muster.ok("exec", "background", "--", "grep", "SigIgn", "/proc/self/status").out) == 0
    muster.ok("kill", "background")
    muster.wait_for_state("cancelled", "background")
