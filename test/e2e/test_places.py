# SPDX-License-Identifier: Apache-2.0
"""The locations of muster's files; two installations side by side do not interfere."""

import os
import shutil
import signal
import stat
import subprocess
import tempfile
from pathlib import Path

import pytest

from leaks import names_in, runtime_folder, socket_name
from processes import alive
from program import Muster
from waiting import PATIENCE, wait_for


def test_the_runtime_folder_and_its_socket_are_for_their_user_alone(muster):
    muster.env["MUSTER_IDLE"] = "1m"
    muster.ok("ps")
    assert stat.S_IMODE(runtime_folder().stat().st_mode) == 0o700
    assert stat.S_IMODE((runtime_folder() / socket_name(muster.state)).stat().st_mode) == 0o600
    os.kill(muster.controller(), signal.SIGTERM)


@pytest.mark.parametrize("words", ["submit", "run --standalone"])
def test_the_files_of_a_job_are_for_their_user_alone_whatever_the_umask_is(muster, words):
    muster.write("waits.py", "import json, os\nopen('started', 'w').write('yes\\n')\nos.system('until test -e go; do sleep 0.05; done')\n")
    muster.write("begin", f"umask 0; exec {muster.binary} {words} --name open --set 'warm=[json]' -- python3 waits.py\n")
    run = subprocess.Popen(["sh", "begin"], cwd=muster.work, env=muster.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    muster.wait_for_file("started")
    places = [muster.state, *(runtime_folder() / name for name in names_in(runtime_folder()) - muster.runtime_before)]
    assert [path for path in places if path.name.startswith("warm-")]
    made = [*places, *(below for place in places for below in place.rglob("*"))]
    assert [f"{path} {path.lstat().st_mode:o}" for path in made if not path.is_symlink() and path.lstat().st_mode & 0o077] == []
    (muster.work / "go").write_text("")
    assert muster("wait", "open").code == 0
    assert run.wait(PATIENCE) == 0


def test_the_controller_is_found_from_every_session(muster, tmp_path):
    name = muster.submit("--", "sleep", "60")
    session = tmp_path / "run"
    session.mkdir(mode=0o700)
    assert name in muster.ok("ps", env={"XDG_RUNTIME_DIR": str(session)}).out
    muster.ok("stop", name, env={"XDG_RUNTIME_DIR": str(session)})
    assert list(session.iterdir()) == []


def test_two_state_folders_do_not_meet(muster, tmp_path):
    (tmp_path / "other").mkdir()
    other = Muster(tmp_path / "other")
    until_go = ["--", "sh", "-c", "echo > $MUSTER_JOB_NAME; until test -e go; do sleep 0.05; done; pwd"]
    for user in (muster, other):
        user.submit("--name", "same", *until_go)
        user.wait_for_file("same")
    assert muster.job("same")["id"] != other.job("same")["id"]
    assert len(muster.ok("ps", "-o", "name").lines()) == 1
    (other.work / "go").write_text("")
    assert other("wait", "same").code == 0
    assert muster.job("same")["state"] == "running"
    (muster.work / "go").write_text("")
    assert muster("wait", "same").code == 0
    assert [user.ok("logs", "same").lines() for user in (muster, other)] == [[str(muster.work)], [str(other.work)]]
    other.wait_until_idle()


def test_ports_of_jobs_side_by_side_differ(muster):
    names = [muster.submit("--framework", "torch", "--", "sh", "-c", "echo $MASTER_PORT; until test -e go; do sleep 0.05; done") for _ in range(4)]
    for name in names:
        muster.wait_for_ranks(name)
    (muster.work / "go").write_text("")
    assert muster("wait", *names).code == 0
    assert len({muster.ok("logs", name).out for name in names}) == 4


def test_the_default_places_are_below_the_home(muster):
    environment = {name: value for name, value in muster.env.items() if name != "MUSTER_STATE_DIR"}
    muster.env.clear()
    muster.env.update(environment)
    muster.ok("run", "-q", "--", "true")
    assert names_in(muster.home) == {".local"}
    assert len(names_in(muster.home / ".local" / "state" / "muster")) == 1
    muster.wait_until_idle()
    muster.shell("rm -r ~/.local")


def test_the_users_state_home(muster):
    environment = {name: value for name, value in muster.env.items() if name != "MUSTER_STATE_DIR"} | {"XDG_STATE_HOME": str(muster.state)}
    muster.env.clear()
    muster.env.update(environment)
    muster.ok("run", "-q", "--", "true")
    assert names_in(muster.state) == {"muster"}
    assert names_in(muster.home) == set()


def place_for(muster, **variables):
    """The variables of a user whose state folder has to be found; the temporary folder exists."""
    (muster.work / "tmp").mkdir(exist_ok=True)
    for name in ("MUSTER_STATE_DIR", "HOME"):
        muster.env.pop(name, None)
    muster.env.update({"TMPDIR": str(muster.work / "tmp")} | {name: str(value) for name, value in variables.items()})


def wait_for_the_controllers_end(state):
    pid = int((state / "lock").read_text())
    wait_for(lambda: not alive(pid), "the idle controller to leave")


@pytest.mark.parametrize("home", ["not set", "read-only", "missing"])
def test_without_a_home_the_state_is_in_a_private_temporary_folder(muster, home):
    muster.home.chmod(0o500)
    why = {"not set": "HOME is not set", "read-only": f"{muster.home} (HOME) cannot be written", "missing": "/nonexistent (HOME) cannot be written"}
    place_for(muster, **{"not set": {}, "read-only": {"HOME": muster.home}, "missing": {"HOME": "/nonexistent"}}[home])
    state = muster.work / "tmp" / f"muster-state-{os.getuid()}"
    said = f"jobs are kept in {state}, because {why[home]}; set MUSTER_STATE_DIR to choose another folder\n"
    done = muster.ok("run", "--name", "first", "--", "echo", "done")
    assert done.out == "done\n" and said in done.err
    assert muster.ok("logs", "first").out == "done\n"
    listed = muster.ok("ps", "-a")
    assert "first" in listed.out and said in listed.err
    assert said in muster("logs", "missing").err
    assert said not in muster.ok("ps", "-a", "-o", "json").err
    assert state.stat().st_mode & 0o777 == 0o700
    assert said not in muster.ok("run", "-q", "--", "true").err
    assert said in muster.ok("run", "--standalone", "--", "true").err
    assert said in muster.ok("torchrun", "--no-python", "true").err
    assert f"jobs are kept in {state}" in muster("doctor").out
    assert names_in(muster.home) == set()
    wait_for_the_controllers_end(state)
    muster.home.chmod(0o700)


def test_the_xdg_folders_are_used_before_the_temporary_one(muster):
    place_for(muster, XDG_DATA_HOME="/proc/self", XDG_CACHE_HOME=muster.work / "cache")
    assert f"jobs are kept in {muster.work}/cache/muster/state/" in muster.ok("run", "--", "true").err
    [state] = (muster.work / "cache" / "muster" / "state").iterdir()
    assert not names_in(muster.work / "tmp")
    wait_for_the_controllers_end(state)


def test_a_foreign_temporary_folder_is_not_used(muster):
    """Somebody has put a link where the folder would be."""
    place_for(muster)
    (muster.work / "tmp" / f"muster-state-{os.getuid()}").symlink_to(muster.home)
    assert f"jobs are kept in {runtime_folder()}/state, because HOME is not set" in muster("doctor").out
    assert names_in(muster.home) == set()
    (runtime_folder() / "state").rmdir()
