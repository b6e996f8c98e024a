# SPDX-License-Identifier: Apache-2.0
"""Attempts of a gang as its ranks report them: FOLDER/ATTEMPT-RANK, written when a rank has reached the expected point."""

import contextlib
import sys
from pathlib import Path

from sides import PATIENCE, read_report

sys.path.append(str(Path(__file__).parents[1] / "e2e"))
from waiting import wait_for  # noqa: E402

HANGS = 60  # seconds without a new attempt; a restart of torchrun takes 2 to 10


def new_attempt(folder, ranks, first):
    """Waits until all ranks of an attempt, `first` or later, have passed their collective; None on timeout."""
    def whole():
        for attempt in range(first, first + 20):
            paths = [folder / f"{attempt}-{rank}" for rank in range(ranks)]
            if all(path.exists() for path in paths):
                return attempt, [read_report(path) for path in paths]
        return None
    with contextlib.suppress(AssertionError):
        return wait_for(whole, "a new attempt", HANGS if first else PATIENCE)
    return None
