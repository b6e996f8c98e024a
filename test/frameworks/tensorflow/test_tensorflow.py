# SPDX-License-Identifier: Apache-2.0
"""TensorFlow finds its cluster in TF_CONFIG, trains with the same results on any number of workers, and resumes after a failure."""

import re
from pathlib import Path

import pytest
from suite import expect_equal_ranks
from training import SHAPES, epochs, reports, run, run_with_a_kill

PROGRAMS = Path(__file__).parent / "programs"
EXAMPLES = Path(__file__).parents[3] / "examples" / "tensorflow"
NAME = ("TensorFlow", "tensorflow-cpu")


@pytest.mark.row(*NAME, "MultiWorkerMirroredStrategy: equal losses of 1, 2, 4 ranks and 2 nodes × 2")
def test_losses_do_not_depend_on_how_many_workers_share_the_batch(muster):
    words = ["--", "python", EXAMPLES / "train.py", "--epochs", "3"]
    alone = run(muster, "-n", "1", *words)
    assert "framework: tensorflow (train.py imports tensorflow)" in alone.err
    assert len(epochs(alone.out)) == 3
    for flags in SHAPES.values():
        assert epochs(run(muster, *flags, *words).out) == epochs(alone.out), flags


@pytest.mark.row(*NAME, "a chief and workers as two groups, with an evaluator that runs beside them")
def test_groups_are_the_tasks_of_the_cluster(muster):
    command = ["python", str(EXAMPLES / "train.py"), "--epochs", "3"]
    evaluator = ["python", str(PROGRAMS / "evaluator.py")]
    muster.job_file(framework="tensorflow", groups=[
        {"name": "chief", "command": command}, {"name": "worker", "workers": 2, "command": command},
        {"name": "evaluator", "command": evaluator}])
    done = run(muster, "job.yaml")
    assert "3 replicas" in done.out and len(epochs(done.out)) == 3
    assert "evaluator sees chief, evaluator, worker and 1 replica" in done.out


@pytest.mark.row(*NAME, "resumes from its checkpoint after a killed worker, with the losses of a run without it")
def test_a_killed_worker_restarts_and_resumes(muster):
    words = ["-n", "2", "--", "python", EXAMPLES / "train.py", "--epochs", "12"]
    undisturbed = epochs(run(muster, *words).out)
    done = run_with_a_kill(muster, 1, *words)
    assert "rank 1 was killed by SIGKILL" in done.err
    resumed, = re.findall(r"resuming after epoch (\d+)", done.out)
    assert int(resumed) >= 3
    assert set(epochs(done.out)) == set(undisturbed)


@pytest.mark.row(*NAME, "ParameterServerStrategy: chief, 2 workers and a parameter server; the job ends with the chief")
def test_a_job_with_parameter_servers_ends_with_its_chief(muster):
    done = run(muster, EXAMPLES / "parameter_server.yaml")
    assert "2 workers, 1 parameter servers" in done.out
    assert len(epochs(done.out)) == 10 and float(epochs(done.out)[-1][2]) > 80


@pytest.mark.row(*NAME, "the same job resumes after its parameter server was killed")
def test_a_killed_parameter_server_restarts_all_tasks(muster):
    groups = {rank: index for index, rank in enumerate(("chief", "worker 0", "worker 1", "ps"))}
    done = run_with_a_kill(muster, groups["ps"], EXAMPLES / "parameter_server.yaml")
    resumed, = re.findall(r"resuming after epoch (\d+)", done.out)
    assert int(resumed) >= 3 and epochs(done.out)[-1][0] == "10"


@pytest.mark.row(*NAME, "ranks forked from a warm parent: the numbers of executed ones")
def test_forked_ranks_are_executed_ones(muster):
    words = ["-n", "2", "--", "python", PROGRAMS / "warm.py"]
    executed = reports(run(muster, "--set", "warm=off", *words).out)
    run(muster, *words)  # muster notes its imports
    forked = reports(run(muster, *words).out)
    expect_equal_ranks(executed, forked, ("seeded", "threads", "product", "loss"), "drawn")
