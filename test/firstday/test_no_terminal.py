# SPDX-License-Identifier: Apache-2.0
"""Signals without a terminal to ask on: a script, a batch system, nohup."""

import signal

import pytest

from living import living_after
from programs import SAVING, WORK


@pytest.fixture
def running(user, ranks):
    user.write("train.py", SAVING)
    process = user.started("muster", "run", "-n", "2", "--", "python3", "train.py")
    assert ranks.all_told(2) == ["works 0 attempt 1", "works 1 attempt 1"]
    return process


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_the_job_is_stopped(user, ranks, running, number, code):
    running.send_signal(number)
    assert ranks.all_told(2) == ["saved 0", "saved 1"]
    out, err = running.communicate(timeout=60)
    assert running.returncode == code, err
    assert "[d in 5 s]" not in err
    assert "[0] saved" in out
    assert "cancelled" in user.piped("muster", "ps", "-a").stdout


def test_hangup_detaches(user, ranks, running):
    running.send_signal(signal.SIGHUP)
    _, err = running.communicate(timeout=60)
    assert running.returncode == 0, err
    assert "continues" in err
    ranks.let_go(2)
    assert user.piped("muster", "wait", "@last").returncode == 0


@pytest.mark.parametrize(("command", "number"), [
    ("nohup muster run -- python3 train.py >log 2>&1 & wait", signal.SIGHUP),
    ("muster run -- python3 train.py >log 2>&1 & wait", signal.SIGINT)], ids=["nohup", "background"])
def test_what_the_shell_ignores_is_ignored(user, ranks, command, number):
    """nohup, and `&` in a script, start a program that ignores the signal; then the log is complete."""
    user.write("train.py", WORK)
    shell = user.started("sh", "-c", command)
    assert ranks.told() == "works 0 attempt 1"
    [run] = [one for one in user.others() if one.command[:2] == ["muster", "run"]]
    run.kill(number)
    ranks.let_go()
    assert living_after([run], 30) == []
    shell.communicate(timeout=30)
    log = (user.project / "log").read_text()
    assert "has ended" in log, log
    assert "succeeded" in log
