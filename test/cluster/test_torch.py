# SPDX-License-Identifier: Apache-2.0
"""examples/torch_ddp on two nodes from the same job file, in an image made from a Python environment: the losses equal this machine's."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from images import build_image
from pictures import write_pictures

TIER = 3
IMAGE = "localhost/torch-ddp:1"
ENVIRONMENT = Path(os.environ.get("CLUSTER_TORCH", "/nowhere"))
EXAMPLE = Path(__file__).parents[2] / "examples" / "torch_ddp" / "train.py"
TRAINING = 420  # seconds
LEFT_OUT = ("torch/include", "torch/test", "torch/share", "pip", "setuptools")


def libraries_of(*programs):
    """The system's libraries that the programs ask for."""
    found = set()
    for program in programs:
        told = subprocess.run(["ldd", program], capture_output=True, text=True, check=False).stdout
        found |= set(re.findall(r"\s(/(?:usr/)?lib\S*) \(0x", told))
    return found


def put(path, root):
    target = root / str(path).lstrip("/")
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, target)
    target.chmod(0o755)


@pytest.fixture
def torch_image(cluster, tmp_path):
    """Debian's python3 with the packages of the environment, the script and its data; links save a copy of all of it."""
    if not ENVIRONMENT.exists():
        pytest.skip("CLUSTER_TORCH names no environment with PyTorch; scripts/test cluster makes one")
    root = tmp_path / "root"
    (root / "data").mkdir(parents=True)
    (root / "tmp").mkdir()
    write_pictures(root / "data")
    shutil.copy(EXAMPLE, root / "train.py")
    (packages,) = ENVIRONMENT.glob("lib/python3.*/site-packages")
    version = packages.parent.name
    here = root / "usr" / "local" / "lib" / version / "dist-packages"
    here.parent.mkdir(parents=True)
    shutil.copytree(packages, here, copy_function=os.link, ignore=lambda folder, names: {
        name for name in names if str(Path(folder, name).relative_to(packages)) in LEFT_OUT or name == "__pycache__"})
    shutil.copytree(f"/usr/lib/{version}", root / "usr" / "lib" / version, symlinks=False, ignore_dangling_symlinks=True,
                    ignore=shutil.ignore_patterns("__pycache__", "test", "idlelib", "config-*"))
    put(f"/usr/bin/{version}", root)
    (root / "usr" / "bin" / "python3").symlink_to(version)
    (root / "bin").symlink_to("usr/bin")
    for library in libraries_of(f"/usr/bin/{version}", *packages.glob("torch/lib/*.so"), *packages.glob("numpy/**/*.so"), *Path(f"/usr/lib/{version}/lib-dynload").glob("*.so")):
        put(library, root)
    build_image(IMAGE, root, tmp_path / "image.tar")
    cluster.load_image(tmp_path / "image.tar")
    (tmp_path / "image.tar").unlink()
    return IMAGE


def losses(output):
    return re.findall(r"epoch \d+/\d+ loss \S+ accuracy \S+ %", output)


def test_it_learns_the_same_on_two_nodes_as_here(jobs, torch_image):
    namespace = jobs.namespace
    shutil.copy(EXAMPLE, namespace.folder)
    (namespace.folder / "data").mkdir()
    write_pictures(namespace.folder / "data")
    file = namespace.folder / "ddp.yaml"
    file.write_text(json.dumps({"name": "ddp", "framework": "torch", "nodes": 2, "env": {"OMP_NUM_THREADS": "1"}, "kubernetes": {"image": torch_image},
                                "command": ["python3", "train.py", "--data", "data", "--batch", "32", "--epochs", "3"]}))
    there = jobs.muster("run", file, timeout=TRAINING)
    assert there.returncode == 0, there.stderr + there.stdout + namespace.picture()
    own = namespace.variables() | {"PATH": f"{ENVIRONMENT}/bin:/usr/bin:/bin"}
    here = subprocess.run([os.environ["MUSTER_BINARY"], "run", "--standalone", file], env=own, cwd=namespace.folder,
                          capture_output=True, text=True, timeout=TRAINING, check=False, stdin=subprocess.DEVNULL)
    assert here.returncode == 0, here.stderr + here.stdout
    assert len(losses(there.stdout)) == 3, there.stdout
    assert losses(there.stdout) == losses(here.stdout)
