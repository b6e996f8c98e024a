"""What ranks find in their environment, and that a secret is found nowhere else."""

import re

import pytest

from leaks import runtime_folder
from processes import all_pids, read

SECRET = "correct-horse-battery-staple"
VARIABLES = r"^(MUSTER_|MASTER_|RANK|WORLD|LOCAL|GROUP|ROLE|TORCH|OMP|PYTHONUNB)"
TORCH_RANK_1 = """\
GROUP_RANK=0
GROUP_WORLD_SIZE=1
LOCAL_RANK=1
LOCAL_WORLD_SIZE=2
MASTER_ADDR=127.0.0.1
MASTER_PORT=(port)
MUSTER_ATTEMPT=1
MUSTER_GROUP=worker
MUSTER_JOB_ID=(id)
MUSTER_JOB_NAME=golden
MUSTER_LOCAL_RANK=1
MUSTER_LOCAL_WORLD_SIZE=2
MUSTER_NODE=0
MUSTER_RANK=1
MUSTER_RESTARTS=0
MUSTER_WORLD_SIZE=2
OMP_NUM_THREADS=1
RANK=1
ROLE_NAME=worker
ROLE_RANK=1
ROLE_WORLD_SIZE=2
TORCHELASTIC_MAX_RESTARTS=0
TORCHELASTIC_RESTART_COUNT=0
TORCHELASTIC_RUN_ID=(id)
TORCHELASTIC_USE_AGENT_STORE=False
TORCH_NCCL_ASYNC_ERROR_HANDLING=1
WORLD_SIZE=2
"""


def told(muster, *flags):
    """The variables muster told rank 1 of `golden`, ports and ids replaced."""
    muster.ok("run", "-q", "--name", "golden", *flags, "--", "sh", "-c", f"env | grep -E '{VARIABLES}' | LC_ALL=C sort")
    text = muster.output_of("golden", rank=1).read_text()
    text = text.replace(muster.job("golden")["id"], "(id)")
    text = re.sub(r"(?m)^MASTER_PORT=2[0-7]\d{3}$", "MASTER_PORT=(port)", text)
    return re.sub(r"(?m)^MUSTER_(STATE_DIR|IDLE)=.*\n", "", text)


def test_the_environment_of_a_torch_rank(muster):
    assert told(muster, "-n", "2", "--framework", "torch") == TORCH_RANK_1


def test_the_environment_of_a_plain_rank(muster):
    plain = "".join(line + "\n" for line in TORCH_RANK_1.splitlines() if line.startswith("MUSTER_"))
    assert told(muster, "-n", "2") == plain


def test_ranks_get_the_shells_environment_not_the_controllers(muster):
    muster.ok("run", "--", "true", env={"CITY": "Bonn"})
    script = ["sh", "-c", "echo $CITY-$PATH"]
    first = muster.ok("run", "--", *script, env={"CITY": "Köln", "PATH": "/usr/bin:/bin"})
    second = muster.ok("run", "--", *script, env={"PATH": "/bin:/usr/bin"})
    assert [first.lines(), second.lines()] == [["Köln-/usr/bin:/bin"], ["-/bin:/usr/bin"]]


def test_the_flag_e(muster):
    done = muster.ok("run", "-e", "A=1=2", "-e", "B", "-e", "C=", "--", "sh", "-c", "echo $A $B ${C-unset}.", env={"B": "shell", "C": "c"})
    assert done.lines() == ["1=2 shell ."]


def test_the_files_environment_wins_over_the_shell(muster):
    muster.job_file(command=["sh", "-c", "echo $A $B"], env={"A": "file", "B": "file"})
    assert muster.ok("run", "job.yaml", "-e", "B=flag", env={"A": "shell", "B": "shell"}).lines() == ["file flag"]


def test_python_is_not_buffered(muster):
    run = muster.start("run", "--", "python3", "-c", "import time; print('early'); input() if 0 else __import__('signal').pause()")
    run.says("early")
    muster.ok("kill", "@last")
    run.end()


def secret_job(muster):
    (muster.work / "token").write_text(SECRET + "3\n")
    (muster.work / "helper").write_text(f"#!/bin/sh\necho {SECRET}4\n")
    (muster.work / "helper").chmod(0o755)
    env = {"FROM_ENV": {"from": "env:OUTER"}, "FROM_FILE": {"from": "file:token"}, "FROM_CMD": {"from": "cmd:./helper"}}
    script = f'echo "$FROM_ENV$FROM_FILE$FROM_CMD" | tr a-z A-Z; echo $ABSENT; until test -e go; do sleep 0.05; done'
    muster.job_file(name="spy", command=["sh", "-c", script], env=env | {"ABSENT": {"from": "env:NONE", "optional": True}})


def files_with(folder, text):
    return [path for path in folder.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]


def test_a_secret_reaches_its_rank_and_is_nowhere_else(muster):
    secret_job(muster)
    run = muster.start("run", "job.yaml", env={"OUTER": SECRET + "2"})
    run.says(f"{SECRET}2{SECRET}3{SECRET}4".upper())
    assert not [pid for pid in all_pids() if SECRET.encode() in read(pid, "cmdline")]
    told_about = [muster.ok(*words).out for words in (
        ["describe", "spy", "-o", "json"], ["describe", "spy"], ["events", "spy", "-o", "json"], ["why", "spy"], ["ps", "-o", "json"],
        ["render", "job.yaml", "-o", "json"], ["render", "job.yaml"])]
    (muster.work / "go").write_text("")
    assert run.end().code == 0
    assert not [text for text in told_about if SECRET in text]
    found = files_with(muster.state, SECRET) + files_with(runtime_folder(), SECRET)
    assert [(path.name, path.stat().st_mode & 0o777) for path in found] in ([], [("environment", 0o600)])


def test_the_state_folder_is_for_its_user_alone(muster):
    muster.ok("run", "--", "echo", "private")
    assert muster.state.stat().st_mode & 0o077 == 0
    assert [path for path in (muster.state / "jobs").rglob("*") if path.stat().st_mode & 0o077] == []


@pytest.mark.parametrize("source", ["env:NONE", "file:none", "cmd:false"])
def test_a_missing_secret_is_named_and_nothing_starts(muster, source):
    muster.job_file(command=["true"], env={"TOKEN": {"from": source}})
    done = muster("run", "job.yaml")
    assert done.code == 2
    assert "`TOKEN`" in done.err
    assert not muster.state.exists()
