# SPDX-License-Identifier: Apache-2.0
"""The life of a job as its user sees it: submit, view, follow again, stop, remove."""

import re

import pytest

from waiting import wait_for

ENDLESS = ["--", "sh", "-c", "echo ready; exec sleep 600"]
UNTIL_GO = ["--", "sh", "-c", "echo before; until test -e go; do sleep 0.05; done; echo after"]


def stop(muster, name):
    muster.ok("kill", name)
    muster.wait_for_state("cancelled", name)


def test_submit_prints_the_name_and_leaves(muster):
    done = muster.ok("submit", "--name", "alone", *ENDLESS)
    assert done.out == "alone\n"
    assert "muster attach alone" in done.err
    assert muster.wait_for_ranks("alone")["ranks"][0]["pid"] > 0
    stop(muster, "alone")


def test_ps(muster):
    muster.submit("--name", "endless", *ENDLESS)
    muster.ok("run", "-q", "--name", "short", "--", "true")
    muster.wait_for_state("running", "endless")
    states = {line.split()[0]: line.split()[1] for line in muster.ok("ps").lines()}
    assert states == {"NAME": "STATE", "endless": "running", "short": "succeeded"}
    assert sorted(muster.ok("ps", "-o", "name").lines()) == ["endless", "short"]
    assert {job["name"]: job["state"] for job in muster.ok("ps", "-o", "json").json()["jobs"]} == {"endless": "running", "short": "succeeded"}
    stop(muster, "endless")


def test_ps_without_jobs(muster):
    done = muster.ok("ps")
    assert done.err + done.out != ""
    assert muster.ok("ps", "-o", "json").json()["jobs"] == []


def test_references(muster):
    first = muster.submit("--name", "apple", "--", "true")
    muster.submit("--name", "apricot", "--", "true")
    number = muster.job(first)["id"]
    assert muster.job("app")["name"] == "apple"
    assert muster.job(number)["name"] == muster.job(number[:12])["name"] == "apple"
    assert muster.job("@last")["name"] == "apricot"
    both = muster("describe", "ap")
    assert both.code == 2
    assert "apple" in both.err and "apricot" in both.err
    assert muster("wait", "apple", "apricot").code == 0


def test_a_name_may_be_used_again(muster):
    first = muster.ok("run", "--name", "twice", "--", "echo", "one")
    second = muster.ok("run", "--name", "twice", "--", "echo", "two")
    assert (first.lines(), second.lines()) == (["one"], ["two"])
    assert muster.ok("logs", "twice").lines() == ["two"]


def test_describe_and_events_of_a_running_job(muster):
    muster.submit("--name", "shown", "-n", "2", "--label", "team=vision", *ENDLESS)
    job = muster.wait_for_ranks("shown")
    assert [rank["phase"] for rank in job["ranks"]] == ["running", "running"]
    assert job["labels"] == {"team": "vision"}
    text = muster.ok("describe", "shown").out
    assert "2 ranks on this machine" in text and str(job["ranks"][1]["pid"]) in text
    assert re.search("command +" + re.escape(" ".join(ENDLESS[1:])), text), text
    assert re.search("running +2 ranks", muster.ok("events", "shown").out)
    assert "nothing has failed" in muster.ok("why", "shown").out
    follower = muster.start("events", "-f", "shown").says("2 ranks")
    stop(muster, "shown")
    assert "cancelled" in follower.end().out


@pytest.mark.parametrize("command", ["describe", "why", "events", "logs", "attach"])
def test_commands_that_only_look_take_the_last_job_when_none_is_named(muster, command):
    refused = muster(command)
    assert refused.code == 5 and refused.err.startswith("error: "), refused
    muster.ok("run", "--name", "first", "--", "true")
    muster("run", "--name", "second", "--", "sh", "-c", "echo word of the last; exit 3")
    shown = muster(command).out
    assert "word of the last" in shown or "code 3" in shown, shown


def test_attach_shows_the_last_lines_and_what_comes(muster):
    muster.submit("--name", "slow", *UNTIL_GO)
    wait_for(lambda: muster.ok("logs", "slow").lines() == ["before"], "the first line")
    attached = muster.start("attach", "slow").says("before")
    (muster.work / "go").write_text("")
    done = attached.end()
    assert (done.code, done.lines()) == (0, ["before", "after"])
    assert "slow  succeeded in " in done.err
    assert "all earlier output: muster logs slow" in done.err


def test_attach_exits_as_the_job(muster):
    name = muster.submit("--", "sh", "-c", "exit 4")
    assert muster("attach", name).code == 1
    assert muster("attach", "--propagate", name).code == 4


@pytest.mark.parametrize("words", [["done"], ["--all"]])
def test_rm_forgets_an_ended_job(muster, words):
    muster.ok("run", "--name", "done", "--", "echo", "x")
    folder = muster.folder("done")
    muster.ok("rm", *words)
    assert muster("describe", "done").code == 5
    assert not folder.exists()
    assert muster.ok("ps", "-a", "-o", "name").out == ""


def test_jobs_outlive_their_controller_in_the_records(muster):
    muster.ok("run", "-q", "--name", "kept", "--", "echo", "x")
    wait_for(lambda: not muster.processes("serve"), "the idle controller to leave")
    assert muster.ok("logs", "kept").lines() == ["x"]
    assert muster.job("kept")["state"] == "succeeded"


def test_rm_means_each_job_once(muster):
    for n in range(3):
        muster.ok("run", "-q", "--name", f"job{n}", "--", "true")
    muster.ok("rm", "@last", "@last", "job2")
    assert sorted(muster.ok("ps", "-a", "-o", "name").lines()) == ["job0", "job1"]


def test_serve_and_agent_explain_themselves(muster):
    for words in (["serve", "--help"], ["help", "serve"], ["agent", "--help"]):
        assert "muster " in muster.ok(*words).out
    assert not muster.processes("serve")
