# SPDX-License-Identifier: Apache-2.0
"""Jobs with several groups: their worlds, and when each group has succeeded."""

import re


def script(text):
    return ["sh", "-c", text]


def outcome(muster, *groups):
    muster.job_file(groups=list(groups), timeouts={"stop": "1s"})
    return muster("run", "job.yaml")


def test_each_group_has_a_world_of_its_own(muster):
    say = script("echo $MUSTER_GROUP $MUSTER_RANK/$MUSTER_WORLD_SIZE $ROLE")
    done = outcome(muster, {"name": "reader", "command": say, "env": {"ROLE": "a"}}, {"name": "trainer", "workers": 2, "command": say})
    assert sorted(line.split("]")[1].strip() for line in done.lines()) == ["reader 0/1 a", "trainer 0/2", "trainer 1/2"]
    assert {"[reader 0]", "[trainer 1]"} < {line.split("]")[0] + "]" for line in done.lines()}


def test_a_shared_world_counts_in_file_order(muster):
    say = script("echo $MUSTER_GROUP $MUSTER_RANK/$MUSTER_WORLD_SIZE")
    muster.job_file(world="shared", groups=[{"name": "b", "command": say}, {"name": "a", "workers": 2, "command": say}])
    done = muster.ok("run", "job.yaml")
    assert sorted(done.lines()) == ["[0] b 0/3", "[1] a 1/3", "[2] a 2/3"]


def test_all_waits_for_all(muster):
    assert outcome(muster, {"name": "a", "command": ["true"]}, {"name": "b", "command": ["true"]}).code == 0
    assert outcome(muster, {"name": "a", "command": ["true"]}, {"name": "b", "command": ["false"]}).code == 1


def test_any_is_done_with_the_first_success(muster):
    race = script("test $MUSTER_RANK = 0 || exec sleep 60")
    done = outcome(muster, {"name": "racer", "workers": 3, "success": "any", "command": race})
    assert done.code == 0


def test_ignore_neither_fails_the_job_nor_holds_it_up(muster):
    trainer = {"name": "trainer", "command": script("until test -e tried; do sleep 0.05; done")}
    failing = {"name": "board", "success": "ignore", "command": script("touch tried; exit 3")}
    assert outcome(muster, trainer, failing).code == 0
    endless = {"name": "board", "success": "ignore", "command": ["sleep", "60"]}
    assert outcome(muster, {"name": "trainer", "command": ["true"]}, endless).code == 0


def test_a_failure_names_its_group(muster):
    done = outcome(muster, {"name": "reader", "command": ["sleep", "60"]}, {"name": "trainer", "workers": 2,
                   "command": script("test $MUSTER_RANK = 0 || exit 4; exec sleep 60")})
    assert done.code == 1
    assert re.search("failed: trainer 1 .*exited with code 4", done.err)


def test_logs_of_a_rank_number_are_those_of_every_group(muster):
    say = script("echo $MUSTER_GROUP$MUSTER_RANK")
    outcome(muster, {"name": "reader", "command": say}, {"name": "trainer", "workers": 2, "command": say})
    assert sorted(muster.ok("logs", "@last", "--rank", "0").lines()) == ["[reader 0]  reader0", "[trainer 0] trainer0"]
    assert muster.ok("logs", "@last", "--rank", "1").lines() == ["trainer1"]


def test_logs_of_one_rank_of_one_group(muster):
    say = script("echo $MUSTER_GROUP$MUSTER_RANK")
    outcome(muster, {"name": "reader", "command": say}, {"name": "trainer", "workers": 2, "command": say})
    assert muster.ok("logs", "@last", "--rank", "trainer/0").lines() == ["trainer0"]
    assert sorted(muster.ok("logs", "@last", "--rank", "reader/0,trainer/0-1").lines()) == [
        "[reader 0]  reader0", "[trainer 0] trainer0", "[trainer 1] trainer1"]
    refused = muster("logs", "@last", "--rank", "reader/1")
    assert (refused.code, "has no rank reader/1; it has 3 ranks" in refused.err) == (5, True), refused
