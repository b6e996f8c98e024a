# SPDX-License-Identifier: Apache-2.0
"""DeepSpeed: its first run compiles its collectives, which takes two minutes, so it has a separate suite."""

import pytest


@pytest.mark.deepspeed
@pytest.mark.row("DeepSpeed", "deepspeed", "ZeRO-1, 2 ranks")
def test_zero_1(launch):
    learns(launch("deepspeed_zero.py", framework="deepspeed"))


@pytest.mark.deepspeed
@pytest.mark.row("DeepSpeed", "deepspeed", "ranks found by MPI, 2 ranks")
def test_ranks_are_found_by_mpi(launch):
    """Without mpirun and torch's variables: DeepSpeed asks mpi4py."""
    learns(launch("deepspeed_zero.py", "--mpi", framework="mpi"))


def learns(found):
    assert [(facts["rank"], facts["world"], facts["stage"]) for facts in found] == [(0, 2, 1), (1, 2, 1)]
    first, last = (sum(facts["losses"][step] for facts in found) for step in (0, -1))
    assert last < first
