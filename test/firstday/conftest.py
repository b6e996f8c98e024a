# SPDX-License-Identifier: Apache-2.0
"""Fixtures for the tests of this folder. Each file tests one default that a new user meets, seen in a terminal.

No configuration: a new home, a conda-like PATH and no MUSTER_* variables. No test sleeps: it waits for terminal output,
for a message of a rank (programs.py) or for the end of a process.
"""

import pytest

from newcomer import Newcomer
from programs import SAVING, Ranks


def pytest_configure(config):
    config.addinivalue_line("markers", "alone: no other test may run at the same time")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    if call.when == "call":
        item.failed = outcome.get_result().failed


@pytest.fixture
def user(request, tmp_path):
    """A new user with an empty home. Processes that outlive the test, except an idle controller, fail it, unless it failed anyway."""
    newcomer = Newcomer(tmp_path)
    yield newcomer
    newcomer.end(failed=getattr(request.node, "failed", True))


@pytest.fixture
def ranks(user, tmp_path):
    """The test's end of the programs in programs.py."""
    with Ranks(tmp_path) as opened:
        user.environment.update(opened.variables)
        yield opened


@pytest.fixture
def running(user, ranks):
    """A job with two ranks that save when they are stopped, followed in a terminal."""
    user.write("train.py", SAVING)
    screen = user.muster("run", "-n", "2", "--", "python3", "train.py")
    assert ranks.all_told(2) == ["works 0 attempt 1", "works 1 attempt 1"]
    screen.shows(r"works [01]")
    screen.shows(r"works [01]")
    return screen
