# SPDX-License-Identifier: Apache-2.0
"""Libraries on top of torch work under muster: each sees the right number of ranks, and trains."""

import pytest

TWO = ("-n", "2")
TWO_NODES = ("--nodes", "2", "-n", "1")


def check_places(found):
    assert [(int(facts["RANK"]), facts["rank"], facts["world"]) for facts in found] == [(0, 0, 2), (1, 1, 2)]
    assert found[0]["losses"] == found[1]["losses"] or len(found[1]["losses"]) == 0  # some report only on rank 0
    assert found[0]["losses"][-1] < 0.8 * found[0]["losses"][0]


@pytest.mark.row("Transformers", "transformers", "Trainer fine-tunes a small GPT-2, 2 ranks")
def test_transformers_trainer(launch):
    found = launch("trainer.py", launch.scratch(), flags=TWO)
    check_places(found)
    assert [facts["steps"] for facts in found] == [12, 12]  # 32 entries in batches of 4 on 2 ranks, 3 times


@pytest.mark.row("Accelerate", "accelerate", "a training loop, 2 ranks, and 2 nodes × 1")
def test_accelerate(launch):
    found = launch("accelerate_loop.py", flags=TWO, framework="accelerate")
    check_places(found)
    assert launch("accelerate_loop.py", flags=TWO_NODES, framework="accelerate")[0]["losses"] == found[0]["losses"]


@pytest.mark.row("Lightning", "lightning", "Trainer with ddp, 2 ranks, and 2 nodes × 1")
def test_lightning(launch):
    found = launch("lightning_fit.py", flags=TWO, framework="lightning")
    check_places(found)
    assert {facts["environment"] for facts in found} == {"TorchElasticEnvironment"}
    assert launch("lightning_fit.py", flags=TWO_NODES, framework="lightning")[0]["losses"] == found[0]["losses"]
