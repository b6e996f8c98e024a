# SPDX-License-Identifier: Apache-2.0
"""What the suites with real frameworks share: a conftest.py imports the hooks and fixtures from here.

MUSTER_FRAMEWORKS_PYTHON is the interpreter that has the frameworks of the suite; scripts/test installs it. Each test's
`@pytest.mark.row(framework, package, what)` is a row of the table in docs/reference/tested-frameworks.md. A run with
MUSTER_REWRITE_TABLE=1 rewrites the table.
"""

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "e2e"))
pytest.register_assert_rewrite("commands", "program", "leaks")

import leaks  # noqa: E402
import results  # noqa: E402
from program import Muster  # noqa: E402

PATIENCE = 300  # seconds for one job: on a busy machine, eight imports of a framework alone take one minute
ROWS = {}  # row of the table: (outcome, reason), the worst of its tests


def check_variables(config):
    config.addinivalue_line("markers", "row(framework, package, what): the line in docs/reference/tested-frameworks.md")
    for name in ("MUSTER_BINARY", "MUSTER_FRAMEWORKS_PYTHON"):
        if not os.access(os.environ.get(name, ""), os.X_OK):
            raise pytest.UsageError(f"{name} names no program; scripts/test runs these tests")


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
    """One user of the program, as in test/e2e, with the frameworks' python first in PATH and caches of its own."""
    user, frameworks = Muster(tmp_path), Path(os.environ["MUSTER_FRAMEWORKS_PYTHON"]).parents[1]
    user.env |= {"PATH": f"{frameworks / 'bin'}:{user.env['PATH']}", "XDG_CACHE_HOME": str(tmp_path / "cache"),
                 "KERAS_HOME": str(tmp_path / "cache" / "keras"), "PYTHONDONTWRITEBYTECODE": "1"}
    yield user
    leaks.end(user, failed=getattr(request.node, "failed", True))


def expect_equal_ranks(executed, forked, same, own):
    """Compares reports of two executed ranks and two forked ones: the facts `same` are equal, the fact `own` is another one in each rank.
    `early`: the packages were imported before the program began."""
    assert [facts["early"] for facts in executed + forked] == [False, False, True, True], (executed, forked)
    for key in same:
        assert [facts[key] for facts in forked] == [facts[key] for facts in executed], (key, executed, forked)
    assert len({str(facts[own]) for facts in executed + forked}) == 4, (own, executed, forked)
