# SPDX-License-Identifier: Apache-2.0
"""The recorded code of a job: commit and changes of the surrounding repository, determined while the job starts."""

# A stand-in for git that answers once the file `answer` exists.
SLOW_GIT = """#!/bin/sh
touch asked
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
    return {"PATH": f"{tools}:{muster.env['PATH']}"}


def test_a_job_begins_before_git_has_answered(muster):
    run = muster.start("run", "-q", "--", "sh", "-c", "echo > begun; while [ ! -e end ]; do sleep 0.02; done", env=slow_git(muster))
    muster.wait_for_file("begun")
    assert "code_commit" not in muster.job()
    muster.write("answer", "")
    muster.write("end", "")
    assert run.end().code == 0
    assert muster.job()["code_commit"].startswith("3f2a9c1")


def test_what_git_says_of_an_ended_job_is_noted_all_the_same(muster):
    env = slow_git(muster)
    muster.write("answer", "")
    assert muster("run", "-q", "--", "true", env=env).code == 0
    assert muster.job()["code_commit"] == "3f2a9c1+dirty"
    name = muster("submit", "-q", "--", "true", env=env).out.strip()
    assert muster.job(name)["code_commit"] == "3f2a9c1+dirty"


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
    assert muster.job()["code_commit"] == commit
    muster.write("train.py", "print(2)\n")
    muster.ok("run", "-q", "--", "true")
    assert muster.job()["code_commit"] == commit + "+dirty"
    muster.write("other.py", "print(3)\n")
    assert muster.shell("git checkout -q train.py").code == 0
    muster.ok("run", "-q", "--standalone", "--", "true")
    assert muster.job()["code_commit"] == commit
