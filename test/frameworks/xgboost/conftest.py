# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the tests with XGBoost; scripts/test xgboost runs these tests."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "real")]

import suite  # noqa: E402
from suite import muster, pytest_runtest_makereport, pytest_sessionfinish  # noqa: E402, F401

pytest_configure = suite.check_variables
