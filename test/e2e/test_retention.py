# SPDX-License-Identifier: Apache-2.0
"""Ended jobs do not fill the disk: rm --older, --over, and automatic removal by the controller."""

import json
import os
import signal

import pytest
from waiting import wait_for

MEGABYTE = "python3 -c \"print('x' * 1_000_000)\""


def names(muster):
    """Job names, the oldest first."""
    return [job["name"] for job in json.loads(muster.ok("ps", "-a", "-o", "json").out)["jobs"]][::-1]


def run_named(muster, *jobs, command=("true",)):
    for name in jobs:
        muster.ok("run", "-q", "--name", name, "--", *command)


def test_older_counts_from_the_end(muster):
    run_named(muster, "first", "second")
    assert "no ended job" in muster.ok("rm", "--older", "1h").err
    assert "deleted 2 jobs" in muster.ok("rm", "--older", "0s").err
    assert names(muster) == []
    assert not list((muster.state / "jobs").iterdir())


def test_over_a_size_the_oldest_go(muster):
    run_named(muster, "old", "middle", "new", command=("sh", "-c", MEGABYTE))
    look = muster.ok("rm", "--over", "2500KB", "--dry-run")
    assert look.err.splitlines()[0] == "old" and "would delete 1 job" in look.err
    assert muster.ok("rm", "--over", "2500KB", "--dry-run", "-o", "name").out.split() == ["old"]
    assert names(muster) == ["old", "middle", "new"]
    muster.ok("rm", "--over", "2500KB")
    assert names(muster) == ["middle", "new"]


def test_all_can_be_looked_at_first(muster):
    run_named(muster, "one", "other")
    assert muster.ok("rm", "--all", "--dry-run", "-o", "name").out.split() == ["one", "other"]
    assert names(muster) == ["one", "other"]


def test_a_job_that_runs_stays(muster):
    muster.submit("--name", "long", "--", "sleep", "600")
    muster.wait_for_ranks("long")
    muster.ok("rm", "--older", "0s")
    assert names(muster) == ["long"]
    muster.ok("kill", "long")


def test_the_controller_forgets_by_itself(muster):
    run_named(muster, "old")
    wait_for(lambda: not muster.processes("serve"), "the controller to leave")
    muster.submit("--name", "next", "--", "sleep", "600", env={"MUSTER_KEEP_AGE": "1ms"})
    wait_for(lambda: names(muster) == ["next"], "the old job to be forgotten")
    muster.ok("kill", "next")


def test_the_controller_forgets_while_nothing_happens(muster):
    muster.submit("--name", "stays", "--", "sleep", "600", env={"MUSTER_KEEP_AGE": "3s"})
    run_named(muster, "old")
    folders = muster.state / "jobs"
    wait_for(lambda: len(list(folders.iterdir())) == 1, "the old job to be forgotten, though nobody asks for jobs")
    muster.ok("kill", "stays")


def journal_of(muster, name):
    return muster.state / "jobs" / muster.job(name)["id"] / "journal"


def leave(muster):
    wait_for(lambda: not muster.processes("serve"), "the controller to leave")


def damage(journal, line):
    lines = journal.read_bytes().splitlines(keepends=True)
    lines[line] = lines[line][:20] + b"#" + lines[line][21:]
    journal.write_bytes(b"".join(lines))


def states(muster):
    return {job["name"]: job["state"] for job in json.loads(muster.ok("ps", "-a", "-o", "json").out)["jobs"]}


@pytest.mark.parametrize("line", [0, 2])
def test_a_job_with_a_damaged_journal_is_listed_and_can_be_removed(muster, line):
    run_named(muster, "bad", "worse", "good", command=("echo", "seen"))
    journal, other = journal_of(muster, "bad"), journal_of(muster, "worse")
    leave(muster)
    damage(journal, line)
    damage(other, line)
    assert states(muster) == {"bad": "damaged", "worse": "damaged", "good": "succeeded"}
    listed = muster.ok("ps", "-a").out
    assert "the journal" in listed and "damaged" in listed
    described = muster.job("bad")
    assert "in its record is: succeeded" in described["sentence"] and "muster rm bad" in described["sentence"]
    assert described["ended"]
    waited = muster("wait", "bad")
    assert waited.code == 1 and "journal" in waited.err
    muster.ok("rm", "bad")
    assert not journal.parent.exists()
    assert "to list all ended jobs: muster ps -a" not in muster.ok("ps").err
    muster.ok("rm", "--all")
    assert states(muster) == {}
    assert muster.ok("ps").err.startswith("no jobs; to start one: muster run -- PROGRAM")
    assert not list((muster.state / "jobs").iterdir())


def test_a_job_whose_journal_lost_its_last_lines_still_has_its_output(muster):
    run_named(muster, "bad", command=("echo", "seen"))
    journal = journal_of(muster, "bad")
    leave(muster)
    damage(journal, -1)
    assert states(muster) == {"bad": "damaged"}
    assert "seen" in muster.ok("logs", "bad").out


def test_the_secrets_of_a_job_with_a_damaged_journal_are_deleted(muster):
    muster.job_file(name="bad", command=["sleep", "600"], env={"TOKEN": {"from": "env:TOKEN_HERE"}})
    muster.submit("job.yaml", env={"TOKEN_HERE": "hidden-word"})
    muster.wait_for_ranks("bad")
    journal = journal_of(muster, "bad")
    for controller in muster.processes("serve"):
        os.kill(controller, signal.SIGKILL)
    leave(muster)
    damage(journal, 0)
    holds_secret = lambda: any(b"hidden-word" in file.read_bytes() for file in journal.parent.iterdir() if file.is_file())
    assert holds_secret()
    assert states(muster) == {"bad": "damaged"}
    assert not holds_secret()
    muster.ok("rm", "bad")
    assert not journal.parent.exists()


@pytest.mark.parametrize("words", [("--older", "soon"), ("--over", "much"), ("--older", "1d", "job"), ("--dry-run", "--idle"), ()])
def test_what_makes_no_sense_is_said(muster, words):
    done = muster("rm", *words)
    assert done.code == 2
    assert done.err.startswith("error: ")
