# SPDX-License-Identifier: Apache-2.0
"""Frameworks on two hosts: the losses are those of this machine. scripts/test jax, tensorflow, xgboost, mlx, paddle and
horovod run these tests."""

import os
import re
from pathlib import Path

import pytest

from hosts import PACKAGES

PROJECT = Path(__file__).parents[2]
HERE = "/home/mia/job"
MAPPED = PROJECT / "test/frameworks/jax/programs/pmapped.py"
EXAMPLES = PROJECT / "examples/tensorflow"


@pytest.fixture
def packages(network, request):
    """Installs the packages of the suite for Debian's python3, here and on all hosts."""
    found = Path(os.environ.get("SSH_TEST_PACKAGES", "/nowhere"))
    if not (found / request.param).exists():
        pytest.skip(f"SSH_TEST_PACKAGES names no packages with {request.param}")
    folder = f"/usr/local/lib/{found.parent.name}/dist-packages"
    for world in (network.here, *network.hosts):
        world.run("mount", "--bind", PACKAGES, folder)
    yield found
    for world in (network.here, *network.hosts):
        world.run("umount", "--lazy", folder)  # warm parents may use it


@pytest.fixture
def names(network):
    """Each host can look up its own name, which JAX's collectives on CPUs need."""
    for world in (network.here, *network.hosts):
        lines = f"127.0.0.1 localhost\n{getattr(world, 'address', '127.0.0.1')} {world.name}\n"
        world.run("sh", "-c", f"printf '{lines}' > /run/names && mount --bind /run/names /etc/hosts")
    yield
    for world in (network.here, *network.hosts):
        world.run("umount", "--lazy", "/etc/hosts")


def run(desk, *words):
    done = desk.muster("run", "--workdir", HERE, *words, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def on_hosts(desk, *words):
    return run(desk, "--hosts", "a1,a2", "--set", "workdir.sync=true", *words)


@pytest.mark.parametrize("packages", ["jax"], indirect=True)
def test_jax_has_the_losses_of_one_machine(network, hosts, desk, packages, names):
    network.here.run("mkdir", "-p", HERE)
    network.here.write(f"{HERE}/train.py", MAPPED.read_text())
    words = ["-n", "2", "--", "python3", "train.py"]
    mine, theirs = (re.findall(r'"losses": (\[.*?\])', text) for text in (run(desk, *words), on_hosts(desk, "--nodes", "2", *words)))
    assert (len(mine), len(theirs)) == (2, 4)
    assert [numbers(each) for each in theirs] == [pytest.approx(numbers(mine[0]), rel=1e-12, abs=0)] * 4


def numbers(text):
    return [float(each) for each in text.strip("[]").split(",")]


@pytest.mark.parametrize("packages", ["tensorflow"], indirect=True)
def test_tensorflow_has_the_losses_of_one_machine(network, hosts, desk, packages):
    network.here.run("mkdir", "-p", HERE)
    for name in ("train.py", "digits.py"):
        network.here.write(f"{HERE}/{name}", (EXAMPLES / name).read_text())
    words = ["--", "python3", "train.py", "--epochs", "3"]
    mine, theirs = (re.findall(r"epoch \d+ loss \S+", text) for text in (run(desk, "-n", "2", *words), on_hosts(desk, "--nodes", "2", *words)))
    assert len(mine) == 3 and theirs == mine


PROGRAMS = {"xgboost": "examples/xgboost/train.py", "mlx": "test/frameworks/mlx/programs/average.py",
            "paddle": "test/frameworks/paddle/programs/parallel.py", "horovod": "test/frameworks/horovod/programs/average.py"}


@pytest.mark.parametrize("packages", PROGRAMS, indirect=True)
def test_it_has_the_numbers_of_one_machine(network, hosts, desk, packages, names, request):
    program = PROJECT / PROGRAMS[request.node.callspec.params["packages"]]
    network.here.run("mkdir", "-p", HERE)
    network.here.write(f"{HERE}/train.py", program.read_text())
    words = ["--set", "env={OMP_NUM_THREADS: '1'}", "--", "python3", "train.py"]  # the hosts share the CPUs of this machine
    mine, theirs = (sorted(re.findall(r"(rank \d of 2|2 ranks)(?:, \d here: |: |, )(.*)", text))
                    for text in (run(desk, "-n", "2", *words), on_hosts(desk, "--nodes", "2", *words)))
    assert mine and theirs == mine
