# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the tests with real frameworks; scripts/test frameworks (and deepspeed) installs them and runs these tests.

Each test's `@pytest.mark.row(framework, package, what)` is a row of the table in docs/reference/frameworks.md. A run with
MUSTER_REWRITE_TABLE=1 rewrites the table.
"""

import os
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "e2e")]
pytest.register_assert_rewrite("commands", "program", "leaks", "launched")

import leaks  # noqa: E402
import results  # noqa: E402
from launched import Launched  # noqa: E402
from program import Muster  # noqa: E402

ROWS = {}  # row of the table: (outcome, reason), the worst of its tests


def pytest_configure(config):
    for mark in ("row(framework, package, what): the line in docs/reference/frameworks.md", "deepspeed: wants DeepSpeed, a suite of its own"):
        config.addinivalue_line("markers", mark)
    for name in ("MUSTER_BINARY", "MUSTER_FRAMEWORKS_PYTHON"):
        if not os.access(os.environ.get(name, ""), os.X_OK):
            raise pytest.UsageError(f"{name} names no program; scripts/test frameworks runs these tests")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    if call.when == "call":
        item.failed = report.failed
    if mark := item.get_closest_marker("row"):
        results.note(ROWS, mark.args, report)


def pytest_sessionfinish(session):
    if os.environ.get("MUSTER_REWRITE_TABLE") == "1" and ROWS:
        results.rewrite(ROWS)


@pytest.fixture
def muster(request, tmp_path):
    """One user of the program, as in test/e2e, with the frameworks' python first in PATH. Caches are separate, except those of compiled
    code, which are shared."""
    user, frameworks = Muster(tmp_path), Path(os.environ["MUSTER_FRAMEWORKS_PYTHON"]).parents[1]
    user.env |= {"PATH": f"{frameworks / 'bin'}:{user.env['PATH']}", "TORCH_EXTENSIONS_DIR": str(frameworks / "extensions"),
                 "XDG_CACHE_HOME": str(tmp_path / "cache"), "HF_HOME": str(tmp_path / "cache" / "huggingface"),
                 "HF_HUB_OFFLINE": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    yield user
    leaks.end(user, failed=getattr(request.node, "failed", True))


@pytest.fixture
def launch(muster):
    """`launch(program, *arguments, flags=…)` runs the program on the ranks; returns their reports."""
    return Launched(muster)
