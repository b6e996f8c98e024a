# SPDX-License-Identifier: Apache-2.0
"""Data for the examples: pictures of noise with a bright spot that depends on the label, in the four files of Fashion-MNIST."""

import gzip
import random

PIXELS = 28


def idx(path, content, *dimensions):
    header = bytes([0, 0, 8, len(dimensions)]) + b"".join(size.to_bytes(4, "big") for size in dimensions)
    path.write_bytes(gzip.compress(header + content, 1))


def write_pictures(folder):
    chance = random.Random(1)
    for part, count in (("train", 320), ("t10k", 64)):
        labels = bytes(chance.randrange(10) for _ in range(count))
        rows = (chance.randbytes(PIXELS) if row // 2 != label else b"\xff" * PIXELS for label in labels for row in range(PIXELS))
        idx(folder / f"{part}-images-idx3-ubyte.gz", b"".join(rows), count, PIXELS, PIXELS)
        idx(folder / f"{part}-labels-idx1-ubyte.gz", labels, count)
