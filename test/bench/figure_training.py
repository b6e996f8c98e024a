# SPDX-License-Identifier: Apache-2.0
"""training: images per second of examples/fashion_mnist and of the same network with torch DDP."""

import os
import re

from sides import Failed, in_turns, median, muster_of
from table import Row, Table, rate

ONE_EPOCH = ("--epochs", "1", "--batch", "128")


def images_per_second(said):
    found = re.search(r"([\d.]+) images/s", said)
    if not found:
        raise Failed(f"no images/s in what the training printed:\n{said[-2000:]}")
    return float(found[1])


def ours(here, muster):
    checkpoint = os.path.join(muster.state, "bench.fm")
    said = muster.run(2, here.example, *ONE_EPOCH, "--checkpoint", checkpoint)
    os.remove(checkpoint)
    return images_per_second(said)


def twin(here, muster):
    script = here.root / "examples/fashion_mnist/torch_twin.py"
    said = muster.run(2, here.torch or here.old_torch, script, *ONE_EPOCH, env={"GLOO_SOCKET_IFNAME": "lo"})
    return images_per_second(said)


def measure(here, say):
    if not (here.torch or here.old_torch):
        return "training: no torch here, so there is nothing to compare with"
    rounds = here.rounds or 3
    with muster_of(here) as muster:
        speed = in_turns(rounds, {"ours": lambda: ours(here, muster), "twin": lambda: twin(here, muster)}, say)
    version = "2.15" if here.torch else "1.13"
    return Table("training: examples/fashion_mnist, 2 ranks of 1 thread, batch 128, 1 epoch; "
                 f"medians of {rounds}\n  rival: the same network in torch {version} DDP (gloo)",
                 [Row("images", median(speed["ours"]), median(speed["twin"]), rate("/s"), 0.7)])
