# SPDX-License-Identifier: Apache-2.0
"""JAX finds its processes without an argument, trains with the same results on any number of them, and resumes after a failure."""

import re
from pathlib import Path

import pytest
from suite import expect_equal_ranks
from training import SHAPES, epochs, reports, run, run_with_a_kill

PROGRAMS = Path(__file__).parent / "programs"
EXAMPLE = Path(__file__).parents[3] / "examples" / "jax" / "train.py"


@pytest.mark.row("JAX", "jax", "jit: equal losses of 1, 2, 4 ranks and 2 nodes × 2")
def test_losses_do_not_depend_on_how_many_ranks_share_the_batch(muster):
    words = ["--", "python", EXAMPLE, "--epochs", "3"]
    alone = run(muster, "-n", "1", *words)
    assert "framework: jax (train.py uses jax.distributed)" in alone.err
    assert len(epochs(alone.out)) == 3
    for flags in SHAPES.values():
        assert epochs(run(muster, *flags, *words).out) == epochs(alone.out), flags


@pytest.mark.row("JAX", "jax", "pmap: equal losses of 1, 2, 4 ranks and 2 nodes × 2")
def test_mapped_programs_have_equal_losses_too(muster):
    program = PROGRAMS / "pmapped.py"
    alone, = reports(run(muster, "-n", "1", "--", "python", program).out)
    for flags in SHAPES.values():
        found = reports(run(muster, *flags, "--", "python", program).out)
        assert [facts["world"] for facts in found] == [len(found)] * len(found)
        assert [facts["MUSTER_RANK"] for facts in found] == [str(rank) for rank in range(len(found))]
        for facts in found:
            assert facts["losses"] == pytest.approx(alone["losses"], rel=1e-12, abs=0)


@pytest.mark.row("JAX", "jax", "resumes from an Orbax checkpoint after a killed rank, with the losses of a run without it")
def test_a_killed_rank_restarts_and_resumes(muster):
    words = ["-n", "2", "--", "python", EXAMPLE, "--epochs", "30"]
    undisturbed = epochs(run(muster, *words).out)
    done = run_with_a_kill(muster, 1, *words)
    assert "rank 1 was killed by SIGKILL" in done.err
    resumed, = re.findall(r"resuming after epoch (\d+)", done.out)
    assert int(resumed) >= 3
    assert set(epochs(done.out)) == set(undisturbed)


@pytest.mark.row("JAX", "jax", "ranks forked from a warm parent: the numbers of executed ones")
def test_forked_ranks_are_executed_ones(muster):
    words = ["-n", "2", "--", "python", PROGRAMS / "warm.py"]
    executed = reports(run(muster, "--set", "warm=off", *words).out)
    forked = reports(run(muster, "--set", "warm=[jax, jax.numpy, numpy]", *words).out)
    expect_equal_ranks(executed, forked, ("drawn", "product", "threads", "gradient"), "random")


@pytest.mark.row("NumPy", "numpy", "plain programs forked from a warm parent: the numbers of executed ones")
def test_forked_ranks_with_numpy_alone_are_executed_ones(muster):
    words = ["-n", "2", "--framework", "plain", "--", "python", PROGRAMS / "arrays.py"]
    executed = reports(run(muster, *words).out)
    forked = reports(run(muster, "--set", "warm=[numpy]", *words).out)
    expect_equal_ranks(executed, forked, ("seeded", "product", "inverse", "threads"), "drawn")


@pytest.mark.row("JAX", "jax", "two jobs at once, with a proxy in the environment")
def test_jobs_at_the_same_time_do_not_meet(muster):
    """No process of JAX listens at the address of the proxy."""
    muster.env |= {"http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9"}
    words = ["run", "-n", "2", "--", "python", PROGRAMS / "pmapped.py"]
    both = [muster.start(*words), muster.start(*words)]
    found = [reports(each.end().out) for each in both]
    assert [len(each) for each in found] == [2, 2]
    assert len({facts["JAX_COORDINATOR_ADDRESS"] for each in found for facts in each}) == 2
