# SPDX-License-Identifier: Apache-2.0
"""The locations of muster's files; two installations side by side do not interfere."""

import os
import shutil
import signal
import stat
import tempfile
from pathlib import Path

from leaks import names_in, runtime_folder, socket_name
from program import Muster


def test_the_runtime_folder_and_its_socket_are_for_their_user_alone(muster):
    muster.env["MUSTER_IDLE"] = "1m"
    muster.ok("ps")
    assert stat.S_IMODE(runtime_folder().stat().st_mode) == 0o700
    assert stat.S_IMODE((runtime_folder() / socket_name(muster.state)).stat().st_mode) == 0o600
    os.kill(muster.controller(), signal.SIGTERM)


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
