# SPDX-License-Identifier: Apache-2.0
"""Waiting for what should happen: the only place where a test of muster may sleep."""

import time

PATIENCE = 60  # seconds; a busy machine is slow, so tests end when the thing is there and not after a time


def wait_for(condition, what, seconds=PATIENCE):
    """What `condition()` returns, as soon as it is truthy; fails with `what` after `seconds`. `what` may be a function."""
    deadline = time.monotonic() + seconds
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds} s: {what() if callable(what) else what}")
        time.sleep(0.01)
