# SPDX-License-Identifier: Apache-2.0
"""A secret reaches its ranks and appears nowhere else (docs/design/output.md)."""

import contextlib
import os
from pathlib import Path

import pytest

from leaks import runtime_folder
from processes import all_pids, parent, processes_of, read

SECRET = "correct-horse-battery-staple"


def secret_job(muster):
    (muster.work / "token").write_text(SECRET + "3\n")
    (muster.work / "helper").write_text(f"#!/bin/sh\necho {SECRET}4\n")
    (muster.work / "helper").chmod(0o755)
    env = {"FROM_ENV": {"from": "env:OUTER"}, "FROM_FILE": {"from": "file:token"}, "FROM_CMD": {"from": "cmd:./helper"}}
    script = 'echo "$FROM_ENV$FROM_FILE$FROM_CMD" | tr a-z A-Z; echo $ABSENT; until test -e go; do sleep 0.05; done'
    muster.job_file(name="spy", command=["sh", "-c", script], env=env | {"ABSENT": {"from": "env:NONE", "optional": True}})


def files_with(folder, text):
    """os.walk(), because folders of services may be removed meanwhile."""
    paths = (Path(parent, name) for parent, _, names in os.walk(folder) for name in names)
    return [path for path in paths if text.encode() in content_of(path)]


def content_of(path):
    with contextlib.suppress(OSError):  # removed meanwhile
        return path.read_bytes() if path.is_file() else b""
    return b""


def holders_of(muster, text):
    """Processes of this user with this text in their environment, without the rank and its descendants."""
    rank = muster.job()["ranks"][0]["pid"]
    return [pid for pid in processes_of(muster.home) if pid != rank and parent(pid) != rank and text.encode() in read(pid, "environ")]


def test_a_secret_reaches_its_rank_and_is_nowhere_else(muster):
    secret_job(muster)
    run = muster.start("run", "job.yaml", env={"OUTER": SECRET + "2"})
    run.says(f"{SECRET}2{SECRET}3{SECRET}4".upper())
    assert not [pid for pid in all_pids() if SECRET.encode() in read(pid, "cmdline")]
    assert holders_of(muster, SECRET + "3") == holders_of(muster, SECRET + "4") == []
    told_about = [muster.ok(*words).out for words in (
        ["describe", "spy", "-o", "json"], ["describe", "spy"], ["events", "spy", "-o", "json"], ["why", "spy"], ["ps", "-o", "json"],
        ["render", "job.yaml", "-o", "json"], ["render", "job.yaml"])]
    (muster.work / "go").write_text("")
    assert run.end().code == 0
    assert not [text for text in told_about if SECRET in text]
    found = files_with(muster.state, SECRET) + files_with(runtime_folder(), SECRET)
    assert [(path.name, path.stat().st_mode & 0o777) for path in found] in ([], [("environment", 0o600)])


@pytest.mark.parametrize("names", [["-x", "OUTER"], ["-x", "FOO=1", "-x", "OUTER"]], ids=["alone", "with_others"])
@pytest.mark.parametrize("several", [False, True], ids=["one_program", "several_programs"])
def test_a_variable_that_mpirun_passes_on_is_nowhere_else(muster, several, names):
    muster.write("spy.sh", 'echo "got $OUTER" | tr a-z A-Z; env | grep -e MUSTER_APP -e MUSTER_MPI; until test -e go; do sleep 0.05; done')
    others = ["-np", "1", "true", ":"] if several else []
    run = muster.start("mpirun", *others, "-np", "1", *names, "sh", "spy.sh", env={"OUTER": SECRET})
    shown = run.says(f"GOT {SECRET.upper()}")
    assert not [pid for pid in all_pids() if SECRET.encode() in read(pid, "cmdline")]
    described = muster.ok("describe", "-o", "json").out
    (muster.work / "go").write_text("")
    end = run.end()
    assert end.code == 0 and "MUSTER_APP" not in end.out and "MUSTER_MPI" not in end.out, (shown, end)
    assert SECRET not in described and "env:OUTER" in described
    found = files_with(muster.state, SECRET) + files_with(runtime_folder(), SECRET)
    assert [(path.name, path.stat().st_mode & 0o777) for path in found] in ([], [("environment", 0o600)])


def test_a_program_that_dies_with_its_secret_on_its_lips_tells_it_in_its_output_alone(muster):
    muster.write("job.py", "import os\nraise RuntimeError('bad token ' + os.environ['MY_TOKEN'])\n")
    run = muster("run", "-e", "MY_TOKEN", "--", "python3", "job.py", env={"MY_TOKEN": "s3cr3t-and-long"})
    assert run.code == 1 and "bad token [MY_TOKEN]" in run.err
    views = [muster(*words) for words in (["why"], ["describe"], ["ps"], ["events"], ["describe", "-o", "json"], ["why", "-o", "json"])]
    assert not any("s3cr3t" in view.out + view.err for view in views), views
    assert "s3cr3t" in muster("logs").out
    muster.wait_until_idle()
    told = {path.name for path in muster.state.rglob("*") if path.is_file() and b"s3cr3t" in path.read_bytes()}
    assert told == {"worker-0.err"}


PEM_LINES = ["-----BEGIN PRIVATE KEY-----", "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", "-----END PRIVATE KEY-----"]


@pytest.mark.parametrize("shown", ["key", "repr(key)", "json.dumps({'key': key})", "key.splitlines()[1]"])
def test_no_line_of_a_secret_of_several_lines_is_in_a_failure_message(muster, shown):
    (muster.work / "key.pem").write_text("\n".join(PEM_LINES) + "\n")
    muster.write("job.py", f"import json, os\nkey = os.environ['KEY']\nraise ValueError('bad key ' + {shown})\n")
    muster.job_file(name="pem", command=["python3", "job.py"], env={"KEY": {"from": "file:key.pem"}})
    run = muster("run", "-d", "job.yaml")
    assert muster("wait", "pem").code == 1
    assert "bad key " in (told := muster("why")).out and "[KEY]" in told.out, told
    views = [muster(*words) for words in (["why"], ["describe"], ["ps"], ["events"], ["describe", "-o", "json"], ["why", "-o", "json"])]
    assert not [view for view in (run, *views) if any(line in view.out + view.err for line in PEM_LINES)]
    muster.wait_until_idle()
    holding = {path.name for line in PEM_LINES for path in files_with(muster.state, line)}
    assert holding == {"worker-0.err"}


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


@pytest.mark.parametrize(("name", "cause", "fix"), [
    ("folder", "is a folder", "name the file in it"), ("fifo", "is a pipe that is empty and that no program writes to", "cmd:"),
    ("binary", "contains a NUL byte", "base64"), ("/dev/zero", "is a device", "name a regular file"),
    ("large", "is larger than 64 KiB", "pass the path")])
@pytest.mark.parametrize("command", ["run", "submit", "doctor"])
def test_a_file_that_cannot_be_a_secret_is_refused_before_the_start(muster, command, name, cause, fix):
    (muster.work / "folder").mkdir()
    os.mkfifo(muster.work / "fifo")
    (muster.work / "binary").write_bytes(b"before\0behind")
    (muster.work / "large").write_text("x" * 70000)
    muster.job_file(command=["true"], env={"TOKEN": {"from": f"file:{name}"}})
    done = muster(command, "job.yaml")
    told = done.out + done.err
    assert done.code != 0 and f"no value for the secret `TOKEN`: `{name}` {cause}" in told and fix in told, done
    assert command == "doctor" or "[E1404]" in told and "job.yaml:" in told, done
    assert not (muster.state / "jobs").exists() or not list((muster.state / "jobs").iterdir())


def test_a_pipe_that_a_program_writes_to_is_a_secret(muster):
    muster.job_file(command=["sh", "-c", "echo $TOKEN | tr a-z A-Z"], env={"TOKEN": {"from": "file:/dev/stdin"}})
    assert muster.ok("run", "job.yaml", stdin=b"from-a-pipe\n").lines() == ["FROM-A-PIPE"]
    muster.job_file(command=["sh", "-c", "echo $TOKEN | tr a-z A-Z"], env={"TOKEN": {"from": "file:/dev/fd/9"}})
    assert muster.shell(f"exec bash -c '{muster.binary} run job.yaml 9< <(echo from-a-shell)'").lines() == ["FROM-A-SHELL"]


@pytest.mark.parametrize("words", [["validate", "job.yaml"], ["run", "job.yaml"], ["doctor", "job.yaml"]])
def test_a_secret_in_plain_sight_is_warned_of_and_not_shown(muster, words):
    muster.job_file(command=["true"], env={"HF_TOKEN": SECRET})
    done = muster(*words)
    assert "`HF_TOKEN` looks like a secret" in done.out + done.err
    assert SECRET not in done.out + done.err
    assert "env:HF_TOKEN" in done.out + done.err
    assert done.code == 0 or words[0] == "doctor"


def test_a_secret_of_the_command_line_and_of_configuration(muster):
    done = muster.ok("run", "-e", f"API_TOKEN={SECRET}", "--", "true")
    assert "-e API_TOKEN takes it from your shell" in done.err
    muster.write("muster.yaml", f"env: {{API_TOKEN: {SECRET}}}\n")
    told = [each for each in muster("doctor", "-o", "json").json()["findings"] if each["subject"] == "secrets"]
    assert [each["level"] for each in told] == ["note"]
