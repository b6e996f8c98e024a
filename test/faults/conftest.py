# SPDX-License-Identifier: Apache-2.0
"""The fixture `muster` of test/e2e, the fixture `fault` of phases.py, and the table at the end."""

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e"))
pytest.register_assert_rewrite("explained")

import phases  # noqa: E402

pytest_plugins = ["user", "small_disk"]


def pytest_configure(config):
    config.addinivalue_line("markers", "row(number, what): a row of docs/lab/faults.md, and what is done to it here")
    config.phases = []


@pytest.fixture
def fault(request):
    """Measures the table row of the test's mark; see phases.py."""
    number, what = request.node.get_closest_marker("row").args
    case = request.node.callspec.id if hasattr(request.node, "callspec") else ""
    measured = phases.Fault(number, what.format(case))
    yield measured
    if not getattr(request.node, "failed", True):
        request.config.phases.append(measured.row())


def pytest_terminal_summary(terminalreporter, config):
    if not config.phases:
        return
    rows = sorted(config.phases, key=lambda row: row["row"])
    terminalreporter.write_line("\n" + phases.table(rows))
    phases.write(rows, Path(os.environ["HOME"]) / "faults")
