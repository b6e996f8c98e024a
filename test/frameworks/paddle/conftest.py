# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the tests with PaddlePaddle; scripts/test paddle runs these tests."""

import shutil
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "real")]

import suite  # noqa: E402
from suite import pytest_runtest_makereport, pytest_sessionfinish  # noqa: E402, F401

pytest_configure = suite.check_variables
muster_alone = suite.muster


@pytest.fixture
def muster(muster_alone):
    """PaddlePaddle makes folders in ~/.cache, whatever XDG_CACHE_HOME is."""
    yield muster_alone
    shutil.rmtree(muster_alone.home / ".cache", ignore_errors=True)
