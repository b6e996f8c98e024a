# SPDX-License-Identifier: Apache-2.0
"""Waits for conditions: the only place in muster's tests that may sleep."""

import time

PATIENCE = 60  # seconds; generous for a busy machine: a wait ends when its condition holds


def wait_for(condition, what, seconds=PATIENCE):
    """Returns the value of `condition()` once it is truthy; fails with `what` after `seconds`. `what` may be a function."""
    deadline = time.monotonic() + seconds
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds} s: {what() if callable(what) else what}")
        time.sleep(0.01)
