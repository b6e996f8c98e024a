# SPDX-License-Identifier: Apache-2.0
"""Commands that have ended, and commands that still run."""

import json
import subprocess

from waiting import PATIENCE, wait_for


class Done:
    """Result of a command: `code`, `out` and `err` as text, `raw` as stdout's bytes."""

    def __init__(self, arguments, code, raw, err):
        self.arguments, self.code, self.raw = arguments, code, raw
        self.out, self.err = raw.decode(errors="surrogateescape"), err.decode(errors="surrogateescape")

    def lines(self):
        return self.out.splitlines()

    def json(self):
        return json.loads(self.out)

    def json_lines(self):
        return [json.loads(line) for line in self.lines()]

    def __repr__(self):
        return f"{' '.join(self.arguments)[:300]}: code {self.code}\nout: {self.out[:3000]}\nerr: {self.err[:3000]}"


class Running:
    """A command that still runs. Its output goes to files, so it never blocks on output."""

    def __init__(self, arguments, place, **options):
        self.arguments = arguments
        self.out_file, self.err_file = place.with_suffix(".out"), place.with_suffix(".err")
        with open(self.out_file, "wb") as out, open(self.err_file, "wb") as err:
            options.setdefault("stdin", subprocess.DEVNULL)
            self.process = subprocess.Popen(arguments, stdout=out, stderr=err, **options)

    @property
    def pid(self):
        return self.process.pid

    def out(self):
        return self.out_file.read_bytes().decode(errors="surrogateescape")

    def err(self):
        return self.err_file.read_bytes().decode(errors="surrogateescape")

    def says(self, text):
        """Waits until stdout or stderr contains `text`."""
        wait_for(lambda: text in self.out() + self.err(), lambda: f"`{text}` from {self}")
        return self

    def signal(self, number):
        self.process.send_signal(number)
        return self

    def end(self, seconds=PATIENCE):
        wait_for(lambda: self.process.poll() is not None, lambda: f"the end of {self}", seconds)
        return Done(self.arguments, self.process.returncode, self.out_file.read_bytes(), self.err_file.read_bytes())

    def __repr__(self):
        return f"{' '.join(self.arguments)[:300]}\nout: {self.out()[-2000:]}\nerr: {self.err()[-2000:]}"
