# SPDX-License-Identifier: Apache-2.0
"""Mistakes of the first hour: the message says what was meant, where, and what to do; nothing is started."""

import pytest

BAD = """\
name: fashion
framework: troch
workers: 2
worker: {gpus: auto, cpus: 1, memory: 4GigaByte}
command: [python, train.py]
"""
ANSWER = """\
error: unknown framework `troch`                                                     [E1204]
  --> job.yaml:2:12
 2 | framework: troch
   |            ^^^^^ did you mean `torch`?
error: `memory` must be a size such as 4GiB, not `4GigaByte`                         [E1107]
  --> job.yaml:4:39
 4 | worker: {gpus: auto, cpus: 1, memory: 4GigaByte}
   |                                       ^^^^^^^^^ did you mean `4GiB`?
2 errors; nothing was started.   muster explain E1204
"""
WORDS = [
    (["run", "--", "pyhton3", "train.py"], ["the program `pyhton3` is not in PATH", "did you mean `python3`?", "nothing was started"]),
    (["run", "--", "python3", "trian.py"], ["there is no script `trian.py` in ", "did you mean `train.py`?", "nothing was started"]),
    (["run", "--", "./train.py"], ["`./train.py` is not executable", "chmod +x ./train.py"]),
    (["run", "nothere.yaml"], ["there is no file `nothere.yaml`"]),
    (["run", "-n", "4", "train.py"], ["`train.py` is not a job file", "muster run -n 4 -- python"]),
    (["run", "-n", "4", "python3", "train.py"], ["muster run -n 4 -- python3 train.py"]),
    (["run", "--wrokers", "2", "--", "true"], ["unknown flag `--wrokers`", "--workers"]),
    (["run", "-n", "two", "--", "true"], ["must be auto or a whole number from 1 to 100000, not `two`"]),
    (["run", "--backend", "ssh", "--", "true"], ["ssh", "local"]),
    (["run"], ["muster run needs a job file, or -- and a program", "muster run --help"]),
    (["run", "-np", "4", "--", "true"], ["unknown flag `-np`; use -n or --workers"]),
    (["run", "--nproc-per-node=4", "--", "true"], ["unknown flag `--nproc-per-node`; use -n or --workers"]),
    (["run", "--", "-n", "4", "python3", "train.py"], ["`-n` after `--` is a flag, not a program", "before `--`"]),
    (["status"], ["muster has no command `status`", "`muster describe JOB`", "`muster ps`"]),
    (["list"], ["muster has no command `list`", "`muster ps`"]),
    (["squeue"], ["muster has no command `squeue`", "`muster ps`"]),
    (["cancel", "train"], ["muster has no command `cancel`", "`muster stop JOB`", "`muster stop --all`"]),
    (["delete", "train"], ["muster has no command `delete`", "`muster stop JOB`", "`muster rm JOB`"]),
    (["rum"], ["unknown command `rum`", "did you mean `run`?"]),
]


def test_a_bad_file(user):
    user.write("job.yaml", BAD)
    screen = user.muster("run", "job.yaml", columns=100)
    assert screen.ends() == 2
    assert screen.lines[:-1] == ANSWER.splitlines()
    assert screen.raw.count("\x1b[1;31merror\x1b[0m") == 2
    assert "Right:\n    framework: torch" in user.piped("muster", "explain", "E1204").stdout


@pytest.mark.parametrize(("words", "answers"), WORDS, ids=lambda value: " ".join(value) if value and value[0][0] == "r" else "")
def test_a_wrong_word(user, words, answers):
    user.write("train.py", "")
    done = user.piped("muster", *words)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    for answer in answers:
        assert answer in done.stderr
    assert "touch" not in done.stderr


def test_errors_fit_the_window(user):
    user.write("job.yaml", BAD)
    screen = user.muster("run", "job.yaml")
    assert screen.ends() == 2
    assert len(screen.lines) == len(ANSWER.splitlines()) + 1  # no line was wrapped


def test_muster_alone_is_help(user):
    done = user.piped("muster")
    assert done.returncode == 0
    for line in ("usage: muster COMMAND [flags]", "  run         submit a job", "  muster run -n 2 -- python"):
        assert line in done.stdout
    assert max(len(line) for line in done.stdout.splitlines()) <= 100


def test_nothing_is_left_by_a_mistake(user):
    assert user.piped("muster", "run", "--", "nosuch").returncode == 2
    assert user.controllers() == []
    assert sorted(path.name for path in user.home.iterdir()) == ["project"]
