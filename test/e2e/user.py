# SPDX-License-Identifier: Apache-2.0
"""The fixture `muster`, and a check after every test that nothing of it is left on the machine. Used by several suites."""

import os
import shutil

import pytest

pytest.register_assert_rewrite("commands", "program", "leaks")

import leaks  # noqa: E402
from program import Muster  # noqa: E402


def pytest_configure(config):
    config.addinivalue_line("markers", "alone: no other test may run at the same time")
    if not os.access(os.environ.get("MUSTER_BINARY", ""), os.X_OK):
        raise pytest.UsageError("MUSTER_BINARY names no program; scripts/test runs these tests")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    if call.when == "call":
        item.failed = outcome.get_result().failed


@pytest.fixture
def muster(request, tmp_path):
    """One user of the program; see program.py. After a failed test the fixture cleans up and reports no second failure."""
    user = Muster(tmp_path)
    yield user
    leaks.end(user, failed=getattr(request.node, "failed", True))


@pytest.fixture
def own_program(muster, tmp_path):
    """A copy of the program that a test may replace. By its time, each replacement counts as another build."""
    muster.binary = str(tmp_path / "muster")
    original = os.environ["MUSTER_BINARY"]
    shutil.copy2(original, muster.binary)

    def replace():
        shutil.copy(original, muster.binary + ".new")
        os.rename(muster.binary + ".new", muster.binary)
    yield replace
    os.unlink(muster.binary)


@pytest.fixture
def no_job_left(muster):
    """Ends the jobs that the test left."""
    yield
    for job in muster.ok("ps", "-o", "json").json()["jobs"]:
        muster("kill", job["id"])
