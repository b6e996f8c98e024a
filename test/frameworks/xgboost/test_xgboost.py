# SPDX-License-Identifier: Apache-2.0
"""XGBoost's own ranks meet at the tracker that muster runs, and train one model."""

import re
from pathlib import Path

import pytest
from suite import PATIENCE

HERE = Path(__file__).parent
TRAIN = HERE.parents[2] / "examples" / "xgboost" / "train.py"
MEET = HERE / "programs" / "meet.py"


def run(muster, *words):
    done = muster.start("run", *words).end(PATIENCE)
    assert done.code == 0, done
    return done


def accuracy(done):
    """(ranks, rounds, part of the test images that are right)"""
    found = re.search(r"(\d+) ranks, (\d+) rounds: (\S+) of", done.out)
    return int(found[1]), int(found[2]), float(found[3])


@pytest.mark.row("XGBoost", "xgboost-cpu", "xgboost.train on scikit-learn's digits: equal metric of 1 and 4 ranks and 2 nodes × 2")
def test_any_number_of_ranks_trains_the_same_model(muster):
    one = accuracy(run(muster, "-n", "1", "--", "python", TRAIN))
    assert one[:2] == (1, 40) and one[2] > 0.95
    assert accuracy(run(muster, "-n", "4", "--", "python", TRAIN)) == (4, *one[1:])
    assert accuracy(run(muster, "-n", "2", "--nodes", "2", "--", "python", TRAIN)) == (4, *one[1:])


@pytest.mark.row("XGBoost", "xgboost-cpu", "a killed rank: the next attempt resumes from the saved model, with the metric of a run without kills")
def test_a_killed_rank_restarts_from_the_checkpoint(muster):
    killed = run(muster, "-n", "2", "--framework", "xgboost", "--restarts", "1", "--", "python", HERE / "programs" / "killed.py")
    assert "rank 1 was killed by SIGKILL" in killed.err
    assert "attempt 2 begins after 20 rounds" in killed.out
    assert accuracy(killed) == accuracy(run(muster, "-n", "2", "--", "python", TRAIN))


def test_each_attempt_has_a_new_tracker_and_no_process_is_left(muster):
    done = run(muster, "-n", "2", "--framework", "xgboost", "--restarts", "1", "--", "python", MEET, "fail")
    ports = [re.findall(rf"attempt {attempt}: rank \d of 2, tracker (\d+)", done.out) for attempt in (1, 2)]
    assert [len(set(each)) for each in ports] == [1, 1] and ports[0] != ports[1]
    muster.wait_until_idle()


@pytest.mark.row("XGBoost", "xgboost-cpu", "two jobs at once have trackers of their own")
def test_two_jobs_never_meet(muster):
    names = [muster.submit("--name", f"job-{ranks}", "-n", ranks, "--framework", "xgboost", "--", "python", MEET) for ranks in (2, 3)]
    for name, ranks in zip(names, (2, 3)):
        assert muster("wait", name).code == 0
        assert muster.ok("logs", name).out.count(f" of {ranks}, ") == ranks


def test_a_program_may_run_the_tracker_itself(muster):
    done = run(muster, "-n", "2", "--framework", "xgboost", "--set", "store=program", "--", "python", MEET, "own")
    assert done.out.count(" of 2, ") == 2


def test_an_interpreter_without_xgboost_is_named_before_any_rank_starts(muster):
    done = muster("run", "-n", "2", "--framework", "xgboost", "--", "/usr/bin/python3", "-c", "print('started')")
    assert done.code != 0
    assert "/usr/bin/python3 has no package xgboost" in done.err
    assert "started" not in done.out


@pytest.mark.row("LightGBM", "lightgbm", "by `custom`: machines from ${peers}; 2 ranks with equal metric")
def test_lightgbm_by_custom(muster):
    muster.write("job.yaml", (HERE / "lightgbm.yaml").read_text())
    (muster.work / "train.py").write_text((HERE / "programs" / "lightgbm_train.py").read_text())
    done = run(muster, "job.yaml")
    found = re.findall(r"rank (\d) of 2: (\S+)", done.out)
    assert sorted(rank for rank, _ in found) == ["0", "1"]
    assert len({score for _, score in found}) == 1 and float(found[0][1]) > 0.9


@pytest.mark.row("XGBoost", "xgboost-cpu", "ranks forked from a warm parent: the model of executed ones")
def test_forked_ranks_are_executed_ones(muster):
    model = muster.work / "model.json"

    def trained(how):
        model.unlink(missing_ok=True)
        done = run(muster, "-n", "2", "--set", how, "--", "python", TRAIN, "--checkpoint", model)
        assert "without warm imports" not in done.err
        return accuracy(done), model.read_text()
    assert trained("warm=[xgboost, sklearn.datasets]") == trained("warm=off")
