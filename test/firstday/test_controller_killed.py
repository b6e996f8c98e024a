# SPDX-License-Identifier: Apache-2.0
"""The controller ends in any way: the user sees one sentence, and the job continues."""

import signal

import pytest

from programs import WORK


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_the_job_goes_on(user, ranks, running, number):
    user.controller().kill(number)
    running.shows("the controller")
    ranks.let_go(2)
    assert running.ends() == 0
    name = running.lines[0].split()[0]
    told = [line for line in running.lines if line.startswith(name)]
    assert len(told) == 3, told
    assert "the controller" in told[1]
    assert "succeeded" in told[2]
    printed = sorted(line for line in running.lines if line.startswith("["))
    assert printed == ["[0] has ended", "[0] works 0", "[1] has ended", "[1] works 1"]
    assert user.piped("muster", "logs", name).stdout.count("works") == 2


def test_nobody_watched(user, ranks):
    """The controller was killed after a submit: the user's next command finds the job unchanged."""
    user.write("train.py", WORK)
    assert user.piped("muster", "submit", "--name", "night", "--", "python3", "train.py").returncode == 0
    assert ranks.told() == "works 0 attempt 1"
    user.controller().kill(signal.SIGKILL)
    ranks.let_go()
    done = user.piped("muster", "wait", "night")
    assert done.returncode == 0, done.stderr
    assert user.piped("muster", "why", "night").stdout == "night succeeded; nothing failed.\n"
