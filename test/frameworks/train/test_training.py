# SPDX-License-Identifier: Apache-2.0
"""torch trains with the same results for any number of ranks and nodes that share the batch."""

import subprocess

import pytest
from results import OLD_PYTHON

# float64 has 16 digits. Ranks add the same 8 rows' losses and gradients in another order, and 12 steps of a smooth
# network carry that on without enlarging it much; what a wrong rank or a lost row makes is above 1e-2.
CLOSE = 1e-12
SHAPES = {"2 ranks": ["-n", "2"], "4 ranks": ["-n", "4"], "2 nodes of 2": ["--nodes", "2", "-n", "2"],
          "2 nodes of 2, proxy": ["--nodes", "2", "-n", "2", "--set", "store=proxy"]}


def close(losses):
    return pytest.approx(losses, rel=CLOSE, abs=0)


def check_every_rank(found, world, losses):
    assert [int(facts["RANK"]) for facts in found] == list(range(world))
    for facts in found:
        assert facts["world"] == world
        assert facts["losses"] == close(losses)


@pytest.mark.parametrize("kind", [
    pytest.param("ddp", marks=pytest.mark.row("PyTorch", "torch", "DDP: equal losses of 1, 2, 4 ranks and 2 nodes × 2, store hosted and proxy")),
    pytest.param("fsdp", marks=pytest.mark.row("PyTorch", "torch", "FSDP (fully_shard): the same")),
])
def test_losses_do_not_depend_on_how_many_ranks_share_the_batch(launch, kind):
    alone, = launch("distributed.py", kind, flags=("-n", "1"))
    assert alone["losses"][-1] < 0.6 * alone["losses"][0]
    for flags in SHAPES.values():
        check_every_rank(launch("distributed.py", kind, flags=flags), 2 if flags == ["-n", "2"] else 4, alone["losses"])


@pytest.mark.row("PyTorch 1.13", "debian:torch", "DDP, 2 ranks: the store's older dialect")
def test_an_old_torch_trains(launch):
    if subprocess.run([OLD_PYTHON, "-c", "import torch.distributed"], capture_output=True, check=False).returncode != 0:
        pytest.skip("no torch in Debian's python3: apt-get install python3-torch")
    alone, = launch("distributed.py", "ddp", flags=("-n", "1"), python=OLD_PYTHON)
    found = launch("distributed.py", "ddp", python=OLD_PYTHON)
    assert found[0]["torch"].startswith("1.")
    check_every_rank(found, 2, alone["losses"])
