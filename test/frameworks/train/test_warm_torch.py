# SPDX-License-Identifier: Apache-2.0
"""Forked torch ranks behave like executed ones, except that torch is already imported."""

import pytest


def ranks(launch, *flags):
    return launch("warm_rank.py", flags=("-n", "2", *flags, "--env", "OMP_NUM_THREADS=2"))


@pytest.mark.row("PyTorch", "torch", "ranks forked from a warm parent: seeds, threads, data loaders and losses of executed ones")
def test_forked_ranks_are_executed_ones(launch):
    executed, forked = ranks(launch), ranks(launch, "--set", "warm=[torch, numpy]")
    assert [facts["early"] for facts in executed] == [False, False]
    assert [facts["early"] for facts in forked] == [True, True]
    for key in ("threads", "product", "loaded", "loss"):
        assert [facts[key] for facts in forked] == [facts[key] for facts in executed], key
    drawn = [number for facts in forked + executed for number in facts["drawn"]]
    assert len(set(drawn)) == len(drawn), "each rank draws its own"
