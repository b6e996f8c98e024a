# SPDX-License-Identifier: Apache-2.0
"""examples/fashion_mnist with the real Gloo: the losses of 1, 2 and 4 ranks are bit-identical."""

import os
from pathlib import Path

import pytest

from pictures import write_pictures

PROGRAM = Path(os.environ["MUSTER_BINARY"]).with_name("fashion_mnist")


@pytest.fixture
def images(tmp_path):
    write_pictures(tmp_path)
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
