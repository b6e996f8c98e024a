# SPDX-License-Identifier: Apache-2.0
"""Several users of one machine: another home, another user, two projects of one user. They cannot see or end each other's jobs."""

import contextlib
import os
import subprocess

import pytest

from newcomer import Newcomer
from programs import WORK

# A user with another uid: the same files and processes, seen through a user namespace.
OTHER_NUMBER = ["unshare", "--user", "--map-user=4242", "--"]


def second_number():
    """How to start commands with another uid. None if the kernel forbids user namespaces: then only the home differs."""
    possible = subprocess.run([*OTHER_NUMBER, "true"], capture_output=True, check=False).returncode == 0
    return OTHER_NUMBER if possible else []


@pytest.fixture(params=["another home", "another user"])
def neighbour(request, tmp_path):
    newcomer = Newcomer(tmp_path, "neighbour")
    newcomer.prefix = second_number() if request.param == "another user" else []
    yield newcomer
    newcomer.end(failed=getattr(request.node, "failed", True))
    with contextlib.suppress(OSError):
        os.rmdir("/tmp/muster-4242")


def test_neighbours_do_not_meet(user, neighbour, ranks):
    neighbour.environment.update(ranks.variables)
    for one in (user, neighbour):
        one.write("train.py", WORK)
        done = one.piped(*getattr(one, "prefix", []), "muster", "submit", "--name", "train", "--", "python3", "train.py")
        assert done.returncode == 0, done.stderr
        assert ranks.told() == "works 0 attempt 1"
    assert user.controller().pid != neighbour.controller().pid
    assert user.piped("muster", "ps", "-o", "name").stdout.split() == ["train"]
    assert user.piped("muster", "kill", "train").returncode == 0
    assert "killed" in user.piped("muster", "wait", "train").stderr
    ranks.let_go()
    done = neighbour.piped(*neighbour.prefix, "muster", "wait", "train")
    assert done.returncode == 0, done.stderr


def test_two_projects_of_one_user(user, ranks, tmp_path):
    """One controller; each project has its own file and folder."""
    for name in ("left", "right"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "muster.yaml").write_text(f"env: {{SIDE: {name}}}\n")
        (tmp_path / name / "job.yaml").write_text("command: [sh, -c, 'echo $SIDE in $PWD']\n")
    for name in ("left", "right"):
        done = subprocess.run(["muster", "run", "job.yaml"], cwd=tmp_path / name, env=user.environment, capture_output=True,
                              text=True, timeout=60, check=False)
        assert done.stdout == f"{name} in {tmp_path / name}\n", done.stderr
    assert len(user.controllers()) == 1


def test_a_taken_name(user, ranks):
    user.write("train.py", WORK)
    assert user.piped("muster", "submit", "--name", "train", "--", "python3", "train.py").returncode == 0
    assert ranks.told() == "works 0 attempt 1"
    done = user.piped("muster", "run", "--name", "train", "--", "true")
    assert done.returncode == 6
    assert "train" in done.stderr
    ranks.let_go()
    assert user.piped("muster", "wait", "train").returncode == 0
