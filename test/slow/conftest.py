# SPDX-License-Identifier: Apache-2.0
"""The fixtures of test/e2e, for tests of the same kind that take minutes."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e"))

pytest_plugins = ["user"]
