# SPDX-License-Identifier: Apache-2.0
"""MLX's ranks meet in its ring and average their gradients."""

import re
from pathlib import Path

import pytest
from suite import PATIENCE

AVERAGE = Path(__file__).parent / "programs" / "average.py"


def losses(muster, *flags):
    """By rank."""
    done = muster.start("run", *flags, "--framework", "mlx", "--", "python", AVERAGE).end(PATIENCE)
    assert done.code == 0, done
    return dict(re.findall(r"rank (\d+) of \d+: ([\d. ]+\d)", done.out))


@pytest.mark.row("MLX", "mlx", "gradient averaging over the ring: equal losses of 1, 2, 4 ranks and 2 nodes × 2")
def test_any_number_of_ranks_has_the_same_losses(muster):
    one = losses(muster, "-n", "1")["0"]
    for flags, ranks in ((("-n", "2"), 2), (("-n", "4"), 4), (("-n", "2", "--nodes", "2"), 4)):
        assert losses(muster, *flags) == {str(rank): one for rank in range(ranks)}


@pytest.mark.row("MLX", "mlx", "a killed rank: the ring of the next attempt is new")
def test_a_killed_rank_meets_its_peers_again(muster):
    kill = "import os, runpy, sys; os.environ['MUSTER_RANK'] + os.environ['MUSTER_ATTEMPT'] == '11' and os.kill(os.getpid(), 9); " \
           "runpy.run_path(sys.argv[1])"
    done = muster.start("run", "-n", "2", "--framework", "mlx", "--restarts", "1", "--", "python", "-c", kill, AVERAGE).end(PATIENCE)
    assert done.code == 0, done
    assert "killed by SIGKILL" in done.err
    assert len(re.findall(r"rank \d of 2: ", done.out)) == 2
