# SPDX-License-Identifier: Apache-2.0
"""DeepSpeed: its first run compiles its collectives, which takes two minutes, so it has a separate suite."""

import pytest


@pytest.mark.deepspeed
@pytest.mark.row("DeepSpeed", "deepspeed", "ZeRO-1, 2 ranks")
def test_zero_1(launch):
    found = launch("deepspeed_zero.py", framework="deepspeed")
    assert [(facts["rank"], facts["world"], facts["stage"]) for facts in found] == [(0, 2, 1), (1, 2, 1)]
    first, last = (sum(facts["losses"][step] for facts in found) for step in (0, -1))
    assert last < first
