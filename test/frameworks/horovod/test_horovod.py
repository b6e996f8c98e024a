# SPDX-License-Identifier: Apache-2.0
"""Horovod's ranks meet at the key-value server that muster runs, and average their gradients over Gloo."""

import re
from pathlib import Path

import pytest
from suite import PATIENCE

AVERAGE = Path(__file__).parent / "programs" / "average.py"
ELASTIC = AVERAGE.with_name("elastic.py")
TWICE = AVERAGE.with_name("twice.py")
TENSORFLOW = AVERAGE.with_name("average_tensorflow.py")
ELASTIC_TENSORFLOW = AVERAGE.with_name("elastic_tensorflow.py")
EXAMPLE = Path(__file__).parents[3] / "examples/horovod"


def losses(muster, *flags, words=(), program=AVERAGE):
    """By rank, with the number of ranks of its node."""
    done = muster.start("run", *flags, "--", "python", program, *words).end(PATIENCE)
    assert done.code == 0, done
    return {rank: (here, said) for rank, here, said in re.findall(r"rank (\d+) of \d+, (\d+) here: ([\d. ]+\d)", done.out)}, done


def expect_equal_losses(muster, program):
    one, done = losses(muster, "-n", "1", "--framework", "horovod", program=program)
    said = one["0"][1]
    two, done = losses(muster, "-n", "2", program=program)
    assert "framework: horovod" in done.err
    assert two == {str(rank): ("2", said) for rank in range(2)}
    four, _ = losses(muster, "-n", "2", "--nodes", "2", program=program)
    assert four == {str(rank): ("2", said) for rank in range(4)}


@pytest.mark.row("Horovod", "horovod", "DistributedOptimizer of torch over Gloo: equal losses of 1 and 2 ranks and 2 nodes × 2")
def test_any_number_of_ranks_has_the_same_losses(muster):
    expect_equal_losses(muster, AVERAGE)


@pytest.mark.row("Horovod", "horovod", "DistributedGradientTape of TensorFlow over Gloo: equal losses of 1 and 2 ranks and 2 nodes × 2")
def test_any_number_of_ranks_has_the_same_losses_with_tensorflow(muster):
    expect_equal_losses(muster, TENSORFLOW)


@pytest.mark.row("Horovod", "horovod", "TensorFlow: a killed rank: the next attempt meets at an empty server")
def test_a_killed_rank_with_tensorflow_meets_its_peers_again(muster):
    found, done = losses(muster, "-n", "2", "--restarts", "1", words=["kill"], program=TENSORFLOW)
    assert "rank 1 was killed by SIGKILL" in done.err and len(found) == 2


@pytest.mark.row("Horovod", "horovod", "a killed rank: the next attempt meets at an empty server")
def test_a_killed_rank_meets_its_peers_again(muster):
    found, done = losses(muster, "-n", "2", "--restarts", "1", words=["kill"])
    assert "rank 1 was killed by SIGKILL" in done.err and len(found) == 2


def test_a_program_initializes_twice(muster):
    done = muster.start("run", "-n", "2", "--nodes", "2", "--", "python", TWICE).end(PATIENCE)
    assert done.code == 0, done
    of_rank = {0: "[10.0, 3.0]", 1: "[10.0, 3.0]", 2: "[10.0]", 3: "[10.0]"}
    assert sorted(re.findall(r"turn .*", done.out)) == [f"turn {turn}, rank {rank}: {sums}" for turn in (1, 2) for rank, sums in of_rank.items()]


@pytest.mark.row("Horovod", "horovod", "ranks forked from a warm parent: the losses of executed ones")
def test_forked_ranks_are_executed_ones(muster):
    forked, done = losses(muster, "-n", "2", "--set", "warm=[torch, horovod.torch]")
    assert "without warm imports" not in done.err
    assert forked == losses(muster, "-n", "2", "--set", "warm=off")[0]


def test_a_restarted_rank_that_is_not_forked_meets_forked_ones(muster):
    found, _ = losses(muster, "-n", "2", "--restarts", "1", words=["kill", "exec"])
    assert len(found) == 2


def trained(muster, *flags, told=(), program=ELASTIC):
    """By index of the rank: (rank, attempts of the process, steps made in each attempt, losses)."""
    done = muster.start("run", "-n", "2", "--nodes", "2", *flags, "--", "python", program, *told).end(PATIENCE)
    assert done.code == 0, done
    found = re.findall(r"index (\d+), rank (\d+) of \d+, pid \d+, attempts (\d-\d), steps ([\d* ]+): ([\d. ]+\d)", done.out)
    assert len(found) == 4, done
    return {int(index): rest for index, *rest in found}, done


@pytest.fixture(scope="module")
def whole():
    """The losses of a training without a failure; filled by the first test that needs it."""
    return set()


def expect(muster, whole, attempts, steps, *told, flags=()):
    """The processes have trained in `attempts` (by index), have made `steps`, and have the losses of a training without a failure."""
    if not whole:
        whole |= {each for *_, each in trained(muster)[0].values()}
    found, done = trained(muster, *flags, "--restarts", "3", told=told)
    assert [found[index][1] for index in range(4)] == attempts, found
    assert {made for _, _, made, _ in found.values()} == {steps}
    assert sorted(rank for rank, *_ in found.values()) == ["0", "1", "2", "3"]
    assert {each for *_, each in found.values()} == whole
    return found, done


@pytest.mark.row("Horovod", "horovod", "hvd.elastic.run: a rank is killed, also rank 0; the others keep their processes and the losses")
@pytest.mark.parametrize("killed", [2, 0])
def test_survivors_continue_in_their_processes(muster, whole, killed):
    attempts = ["2-2" if index == killed else "1-2" for index in range(4)]
    found, done = expect(muster, whole, attempts, "1*10 2*10", f"step:1:{killed}")
    assert f"rank {killed} was killed by SIGKILL" in done.err and found[killed][0] != "0"


def test_a_second_loss_before_the_state_was_synchronized_loses_no_step(muster, whole):
    expect(muster, whole, ["2-3", "1-3", "3-3", "1-3"], "1*10 3*10", "step:1:0", "sync:2:2")


def test_a_second_loss_while_survivors_wait_for_the_new_process_loses_no_step(muster, whole):
    expect(muster, whole, ["3-3", "1-3", "1-3", "1-3"], "1*10 3*10", "step:1:0", "start:2:0")


def test_the_only_process_that_got_the_state_passes_it_on(muster, whole):
    told = ["step:1:0", "synced:2:1", "synced:2:2", "synced:2:3"]
    expect(muster, whole, ["2-3", "3-3", "3-3", "3-3"], "1*10 3*10", *told)


def test_survivors_wait_longer_than_a_minute_for_the_next_attempt(muster, whole):
    expect(muster, whole, ["2-2", "1-2", "1-2", "1-2"], "1*10 2*10", "step:1:0", flags=("--set", "restarts.backoff.first=65s"))


def test_a_new_rank_that_is_not_forked_gets_the_state(muster, whole):
    expect(muster, whole, ["1-2", "1-2", "2-2", "1-2"], "1*10 2*10", "step:1:2", "exec:2:2")


def test_rank_0_that_is_not_forked_ends_the_attempt_with_a_reason(muster, whole):
    _, done = expect(muster, whole, ["3-3"] * 4, "3*20", "step:1:0", "exec:2:0")
    assert "RuntimeError: rank 0 was started without a warm start" in done.err


def test_a_rank_that_fails_after_the_training_restarts_all(muster, whole):
    _, done = expect(muster, whole, ["2-2"] * 4, "2*20", "end:1:1")
    assert "rank 1 exited with code 3" in done.err and "SIGKILL" not in done.err


def test_survivors_end_if_no_restart_is_left(muster):
    done = muster.start("run", "-n", "2", "--", "python", ELASTIC, "step:1:1").end(PATIENCE)
    assert done.code == 1 and "rank 1 was killed by SIGKILL" in done.err


@pytest.mark.row("Horovod", "horovod", "hvd.elastic.run with TensorFlow: a rank is killed, also rank 0; the others keep their processes")
@pytest.mark.parametrize("told, attempts, steps", [
    (["2"], ["1-2", "1-2", "2-2", "1-2"], "1*10 2*10"),
    (["0"], ["2-2", "1-2", "1-2", "1-2"], "1*10 2*10"),
    (["2", "sync:2"], ["1-3", "1-3", "3-3", "1-3"], "1*10 3*10"),
])
def test_survivors_continue_in_their_processes_with_tensorflow(muster, told, attempts, steps):
    flags = ("--set", f"env.PYTHONPATH={EXAMPLE}")
    whole, _ = trained(muster, *flags, program=ELASTIC_TENSORFLOW)
    found, done = trained(muster, *flags, "--restarts", "2", told=told, program=ELASTIC_TENSORFLOW)
    assert [found[index][1] for index in range(4)] == attempts, found
    assert {made for _, _, made, _ in found.values()} == {steps}
    assert {each for *_, each in found.values()} == {each for *_, each in whole.values()}
    assert f"rank {told[0]} was killed by SIGKILL" in done.err
