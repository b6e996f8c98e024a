# SPDX-License-Identifier: Apache-2.0
"""JAX and TensorFlow in pods on two nodes: the losses are those of this machine."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from images import build_image, put_python

TIER = 3
CACHE = Path(os.environ.get("CLUSTER_FRAMEWORKS", "/nowhere"))
PROJECT = Path(__file__).parents[2]
TRAINING = 420  # seconds
PROGRAMS = {"jax": ["test/frameworks/jax/programs/pmapped.py"], "tensorflow": ["examples/tensorflow/train.py", "examples/tensorflow/digits.py"]}
COMMANDS = {"jax": ["python3", "pmapped.py"], "tensorflow": ["python3", "train.py", "--epochs", "3"]}


def image_of(name, cluster, tmp_path):
    """Debian's python3 with the packages of scripts/test NAME, and the programs."""
    environment, image = CACHE / name, f"localhost/{name}:1"
    if not environment.exists():
        pytest.skip("CLUSTER_FRAMEWORKS names no folder with environments; scripts/test cluster makes them")
    root = tmp_path / "root"
    (root / "tmp").mkdir(parents=True)
    for program in PROGRAMS[name]:
        shutil.copy(PROJECT / program, root)
    put_python(environment, root, ("pip", "setuptools", "tensorflow/include"))
    build_image(image, root, tmp_path / "image.tar")
    cluster.load_image(tmp_path / "image.tar")
    (tmp_path / "image.tar").unlink()
    return image


def losses(output):
    return sorted(set(re.findall(r'"losses": \[.*?\]|epoch \d+ loss \S+', output)))


@pytest.mark.parametrize("name", ["jax", "tensorflow"])
def test_it_learns_the_same_in_two_pods_as_here(cluster, jobs, name, tmp_path):
    namespace, image = jobs.namespace, image_of(name, cluster, tmp_path)
    for program in PROGRAMS[name]:
        shutil.copy(PROJECT / program, namespace.folder)
    file = namespace.folder / "job.yaml"
    file.write_text(json.dumps({"name": name, "framework": name, "nodes": 2, "env": {"HOME": "/tmp"}, "kubernetes": {"image": image},
                                "command": COMMANDS[name]}))
    there = jobs.muster("run", file, timeout=TRAINING)
    assert there.returncode == 0, there.stderr + there.stdout + namespace.picture()
    own = namespace.variables() | {"PATH": f"{CACHE / name}/bin:/usr/bin:/bin"}
    here = subprocess.run([os.environ["MUSTER_BINARY"], "run", "--standalone", file], env=own, cwd=namespace.folder,
                          capture_output=True, text=True, timeout=TRAINING, check=False, stdin=subprocess.DEVNULL)
    assert here.returncode == 0, here.stderr + here.stdout
    assert losses(there.stdout), there.stdout
    assert losses(there.stdout) == losses(here.stdout)
