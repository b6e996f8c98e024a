# SPDX-License-Identifier: Apache-2.0
"""PaddlePaddle's ranks meet at the leased endpoints and train one model over Gloo."""

import re
from pathlib import Path

import pytest
from suite import PATIENCE

PARALLEL = Path(__file__).parent / "programs" / "parallel.py"


def losses(muster, *flags, words=()):
    """By rank."""
    done = muster.start("run", *flags, "--", "python", PARALLEL, *words).end(PATIENCE)
    assert done.code == 0, done
    return dict(re.findall(r"rank (\d+) of \d+: ([\d. ]+\d)", done.out)), done


@pytest.mark.row("PaddlePaddle", "paddlepaddle", "DataParallel over Gloo: equal losses of 2 ranks and 2 nodes × 2; framework found by its imports")
def test_any_number_of_ranks_has_the_same_losses(muster):
    two, done = losses(muster, "-n", "2")
    assert "framework: paddle" in done.err
    assert len(two) == 2 and two["0"] == two["1"]
    assert float(two["0"].split()[-1]) < 0.5 * float(two["0"].split()[0])
    four, _ = losses(muster, "-n", "2", "--nodes", "2")
    assert four == {str(rank): two["0"] for rank in range(4)}


@pytest.mark.row("PaddlePaddle", "paddlepaddle", "a killed rank: the next attempt meets at new endpoints")
def test_a_killed_rank_meets_its_peers_again(muster):
    found, done = losses(muster, "-n", "2", "--restarts", "1", words=["kill"])
    assert "killed by SIGKILL" in done.err and len(found) == 2


def test_ranks_are_executed_and_a_note_says_why(muster):
    """An import of paddle reads the number of the rank, so no rank can be forked from a process that has imported it."""
    _, done = losses(muster, "-n", "2", "--set", "warm=[paddle]")
    assert "without warm imports: importing paddle" in done.err and "reads PADDLE_TRAINER_ID" in done.err
