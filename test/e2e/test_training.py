"""examples/fashion_mnist through the real Gloo: the losses of 1, 2 and 4 ranks are the same to the last bit."""

import gzip
import os
import random
from pathlib import Path

import pytest

PROGRAM = Path(os.environ["MUSTER_BINARY"]).with_name("fashion_mnist")
PIXELS = 28


def idx(path, content, *dimensions):
    header = bytes([0, 0, 8, len(dimensions)]) + b"".join(size.to_bytes(4, "big") for size in dimensions)
    path.write_bytes(gzip.compress(header + content, 1))


@pytest.fixture
def images(tmp_path):
    """Pictures of noise, each brighter where its label says, in the four files of Fashion-MNIST."""
    chance = random.Random(1)
    for part, count in (("train", 320), ("t10k", 64)):
        labels = bytes(chance.randrange(10) for _ in range(count))
        rows = (chance.randbytes(PIXELS) if row // 2 != label else b"\xff" * PIXELS for label in labels for row in range(PIXELS))
        idx(tmp_path / f"{part}-images-idx3-ubyte.gz", b"".join(rows), count, PIXELS, PIXELS)
        idx(tmp_path / f"{part}-labels-idx1-ubyte.gz", labels, count)
    return tmp_path


def test_any_number_of_ranks_has_the_same_losses(muster, images):
    curves = {}
    for ranks in (1, 2, 4):
        muster.ok("run", "-n", ranks, "--", PROGRAM, "--data", images, "--batch", 64, "--epochs", 2, "--losses", f"{ranks}.losses")
        curves[ranks] = (muster.work / f"{ranks}.losses").read_text()
    assert len(curves[1].splitlines()) == 10
    first, last = (float(line.split()[1]) for line in (curves[1].splitlines()[0], curves[1].splitlines()[-1]))
    assert last < first, "it learns"
    assert curves[2] == curves[1] and curves[4] == curves[1]
