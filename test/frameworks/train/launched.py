# SPDX-License-Identifier: Apache-2.0
"""A program of programs/ run by muster, and the reports of its ranks."""

import json
import re
import tempfile
from pathlib import Path

from suite import PATIENCE

PROGRAMS = Path(__file__).parent / "programs"


def reports(text):
    """The ranks' reports, in the order of their ranks."""
    found = [json.loads(line) for line in re.findall(r"report (\{.*\})", text)]
    return sorted(found, key=lambda facts: int(facts["RANK"]))


class Launched:
    def __init__(self, muster):
        self.muster = muster

    def command(self, program, *words, flags=("-n", "2"), framework="torch", python="python"):
        return ["run", "--standalone", "--framework", framework, *flags, "--", python, PROGRAMS / program, *words]

    def __call__(self, program, *words, **options):
        done = self.muster.start(*self.command(program, *words, **options)).end(PATIENCE)
        assert done.code == 0, done
        return reports(done.out)

    def scratch(self):
        """A folder for the test's checkpoints."""
        return tempfile.mkdtemp(dir=self.muster.home.parent)
