# SPDX-License-Identifier: Apache-2.0
"""Programs in a pseudo-terminal: the fixture `terminal`, and `ended`."""

import pexpect
import pytest

from waiting import PATIENCE


@pytest.fixture
def terminal(muster):
    """Starts a program, by default muster, in a terminal of 100 columns and 30 rows."""
    children = []

    def start(*arguments, program=muster.binary):
        words = [str(word) for word in arguments]
        child = pexpect.spawn(str(program), words, env=muster.env, cwd=str(muster.work), dimensions=(30, 100), timeout=PATIENCE, encoding="utf-8")
        children.append(child)
        return child
    yield start
    for child in children:
        child.close(force=True)


def ended(child):
    child.expect(pexpect.EOF)
    child.wait()  # close() would signal it after 0.1 s
    child.close()
    return child.exitstatus
