# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the tests with torch and the frameworks on it; scripts/test frameworks (and deepspeed) runs these tests."""

import os
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "real")]
pytest.register_assert_rewrite("launched", "suite")

import suite  # noqa: E402
from launched import Launched  # noqa: E402
from suite import pytest_runtest_makereport, pytest_sessionfinish  # noqa: E402, F401


def pytest_configure(config):
    suite.check_variables(config)
    config.addinivalue_line("markers", "deepspeed: wants DeepSpeed, a suite of its own")


muster_alone = suite.muster


@pytest.fixture
def muster(muster_alone):
    """Caches of compiled code are shared."""
    frameworks = Path(os.environ["MUSTER_FRAMEWORKS_PYTHON"]).parents[1]
    muster_alone.env |= {"TORCH_EXTENSIONS_DIR": str(frameworks / "extensions"), "HF_HUB_OFFLINE": "1",
                         "HF_HOME": f"{muster_alone.env['XDG_CACHE_HOME']}/huggingface"}
    return muster_alone


@pytest.fixture
def launch(muster):
    """`launch(program, *arguments, flags=…)` runs the program on the ranks; returns their reports."""
    return Launched(muster)
