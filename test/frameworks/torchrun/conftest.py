# SPDX-License-Identifier: Apache-2.0
"""muster compared with torchrun: a Python with torch 2.15, from MUSTER_TORCH_PYTHON; without it these tests are skipped.

The program is MUSTER_BINARY, or that of the dev preset.
"""

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "e2e"))  # waiting.py


@pytest.fixture(scope="session")
def torch_python():
    python = os.environ.get("MUSTER_TORCH_PYTHON", "")
    if not os.access(python, os.X_OK):
        pytest.skip("MUSTER_TORCH_PYTHON names no Python")
    return python


@pytest.fixture(scope="session")
def muster_program():
    built = Path(__file__).resolve().parents[3] / "build" / "dev" / "muster"
    return os.environ.get("MUSTER_BINARY", str(built))
