# SPDX-License-Identifier: Apache-2.0
"""Shared by the files here: each is one default that a new user meets, seen in a terminal.

No configuration: a fresh home, a conda-like PATH and nothing called MUSTER_*. Nothing here sleeps: a test waits for what its
terminal shows, for what a rank tells it (programs.py) or for a process to end.
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
    """A new user in an empty home. Whatever outlives the test, but the idle controller, fails it, unless it failed anyway."""
    newcomer = Newcomer(tmp_path)
    yield newcomer
    newcomer.end(failed=getattr(request.node, "failed", True))


@pytest.fixture
def ranks(user, tmp_path):
    """The far end of the programs in programs.py."""
    with Ranks(tmp_path) as opened:
        user.environment.update(opened.variables)
        yield opened


@pytest.fixture
def running(user, ranks):
    """A job of two ranks that save when they are told to stop, followed in a terminal."""
    user.write("train.py", SAVING)
    screen = user.muster("run", "-n", "2", "--", "python3", "train.py")
    assert ranks.all_told(2) == ["works 0 attempt 1", "works 1 attempt 1"]
    screen.shows(r"works [01]")
    screen.shows(r"works [01]")
    return screen
