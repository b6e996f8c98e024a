# SPDX-License-Identifier: Apache-2.0
"""Lets the tests of this folder import its modules and those of test/e2e."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[1] / "e2e")]
