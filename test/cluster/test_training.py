# SPDX-License-Identifier: Apache-2.0
"""examples/fashion_mnist on two nodes from the same job file: the losses equal those of this machine."""

import os
import re
import shutil
from pathlib import Path

import pytest

from images import build_image, libraries_of, put
from jobs import Jobs
from pictures import write_pictures

TIER = 3
BUILD = Path(os.environ.get("MUSTER_BINARY", "/nowhere/muster")).parent
IMAGE = "localhost/fashion-mnist:1"
TRAINING = 300  # seconds


@pytest.fixture
def training_image(cluster, tmp_path):
    """The program, libmuster and the training images; no shell, and no program of muster."""
    root = tmp_path / "root"
    (root / "app" / "data").mkdir(parents=True)
    write_pictures(root / "app" / "data")
    shutil.copytree(BUILD / "lib", root / "app" / "lib", ignore=lambda _, names: {name for name in names if not name.startswith("lib")})
    shutil.copy(BUILD / "fashion_mnist", root / "app")
    for program in (BUILD / "fashion_mnist", BUILD / "lib" / "libmuster_gloo.so"):
        for path in libraries_of(program):
            put(path, root)
    build_image(IMAGE, root, tmp_path / "image.tar")
    cluster.load_image(tmp_path / "image.tar")
    return IMAGE


def losses(output):
    return re.findall(r"epoch \d+  step \d+  loss \S+  accuracy \S+", output)


def test_it_learns_the_same_on_two_nodes_as_here(namespace, muster_image, training_image):
    jobs, words = Jobs(namespace), ["--batch", "64", "--epochs", "4", "--checkpoint", "/tmp/run.fm"]
    file = jobs.file("", image=training_image, command=["/app/fashion_mnist", "--data", "/app/data", *words])
    there = jobs.muster("run", file, timeout=TRAINING)
    assert there.returncode == 0, there.stderr + namespace.picture()
    write_pictures(namespace.folder)
    here = namespace.muster("run", "--standalone", "--", BUILD / "fashion_mnist", "--data", namespace.folder, *words[:-1], namespace.folder / "run.fm")
    assert here.returncode == 0, here.stderr
    assert len(losses(there.stdout)) == 4
    assert losses(there.stdout) == losses(here.stdout)
