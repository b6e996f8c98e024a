"""Which code a job ran: commit and changes of the repository around it, found out while the job runs."""

import os
import signal

from processes import command_line, processes_of
from waiting import wait_for

# Answers once the file `answer` is there: all that muster asks of git.
SLOW_GIT = """#!/bin/sh
cd "$2"  # -C FOLDER
echo > asked
while [ ! -e answer ]; do sleep 0.02; done
case "$*" in
*status*) printf '# branch.oid 3f2a9c1\\n1 .M N... 100644 100644 100644 a b train.py\\n' ;;
*) echo 3f2a9c1 ;;
esac
"""


def slow_git(muster):
    tools = muster.work / "tools"
    tools.mkdir()
    (tools / "git").write_text(SLOW_GIT)
    (tools / "git").chmod(0o755)
    (muster.work / ".git").mkdir()
    return {"PATH": f"{tools}:{muster.env['PATH']}", "MUSTER_IDLE": "5s"}


def code_of(muster, name="@last"):
    """Its command does not wait for git."""
    wait_for(lambda: "code_commit" in muster.job(name), "the commit to be noted")
    return muster.job(name)["code_commit"]


def test_neither_a_job_nor_its_command_waits_for_git(muster):
    assert muster("run", "-q", "--", "true", env=slow_git(muster)).code == 0
    muster.wait_for_file("asked")
    assert "code_commit" not in muster.job()
    muster.write("answer", "")
    assert code_of(muster) == "3f2a9c1+dirty"


def test_what_git_says_while_a_job_runs_is_noted_then(muster):
    run = muster.start("run", "-q", "--", "sh", "-c", "while [ ! -e end ]; do sleep 0.02; done", env=slow_git(muster))
    muster.wait_for_file("asked")
    muster.write("answer", "")
    assert code_of(muster) == "3f2a9c1+dirty"
    muster.write("end", "")
    assert run.end().code == 0
    assert muster.job()["code_commit"] == "3f2a9c1+dirty"


def test_who_leaves_a_job_leaves_when_git_has_answered(muster):
    submit = muster.start("submit", "-q", "--", "sh", "-c", "echo > begun", env=slow_git(muster))
    muster.wait_for_file("begun")
    assert submit.process.poll() is None
    muster.write("answer", "")
    ended = submit.end()
    assert ended.code == 0
    assert muster.job(ended.out.strip())["code_commit"] == "3f2a9c1+dirty"


def test_no_git_is_left_of_a_controller_that_leaves(muster):
    muster.ok("run", "-q", "--", "true", env=slow_git(muster))
    muster.wait_for_file("asked")
    os.kill(muster.controller(), signal.SIGTERM)
    wait_for(lambda: not [pid for pid in processes_of(muster.home) if "/tools/git" in " ".join(command_line(pid))], "git to end")


def test_a_repository_without_a_commit_has_none(muster):
    assert muster.shell("git init -q .").code == 0
    assert muster("run", "-q", "--", "true").code == 0
    assert "code_commit" not in muster.job()


def test_a_real_repository(muster):
    git = "git -c user.name=me -c user.email=me@here"
    muster.write("train.py", "print(1)\n")
    assert muster.shell(f"git init -q . && git add . && {git} commit -qm one").code == 0
    commit = muster.shell("git rev-parse HEAD").out.strip()
    muster.ok("run", "-q", "--", "true")
    assert code_of(muster) == commit
    muster.write("train.py", "print(2)\n")
    muster.ok("run", "-q", "--", "true")
    assert code_of(muster) == commit + "+dirty"
    muster.write("other.py", "print(3)\n")
    assert muster.shell("git checkout -q train.py").code == 0
    muster.ok("run", "-q", "--standalone", "--", "true")
    assert muster.job()["code_commit"] == commit
