# SPDX-License-Identifier: Apache-2.0
"""Runs the chapter of README.md about two hosts, word for word."""

import re
import subprocess
from pathlib import Path

import pytest

from desk import Desk
from pictures import write_pictures

PROJECT = Path(__file__).parents[2]
HERE = "/home/mia/fashion"
CHAPTER = "## From two host names to a running DDP job in three commands"


def commands():
    chapter = (PROJECT / "README.md").read_text().split(CHAPTER)[1].split("\n## ")[0]
    return re.findall(r"^    (muster .*)$", chapter, re.MULTILINE)


@pytest.fixture
def desk(network, hosts, torch):
    desk = Desk(network)
    network.here.run("mkdir", "-p", f"{HERE}/data")
    write_pictures(network.here.file(f"{HERE}/data"))
    script = (PROJECT / "examples/torch_ddp/train.py").read_text()
    network.here.write(f"{HERE}/train.py", re.sub(r'^DATA = "[^"]*"', 'DATA = "data"', script, flags=re.MULTILINE))
    yield desk
    desk.end()
    network.here.run("rm", "-rf", HERE)


def typed(network, command):
    words = network.here.words("bash", "-c", f"cd {HERE} && PATH=/run/muster:$PATH && {command}", user=network.user)
    return subprocess.run(words, env=network.variables(), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False)


def test_three_commands_from_two_names_to_ddp(network, desk):
    assert len(commands()) == 3
    for command in commands():
        done = typed(network, command)
        assert done.returncode == 0, command + done.stdout + done.stderr
    assert "2 ranks (cpu, gloo)" in done.stdout and "epoch 3/3" in done.stdout
