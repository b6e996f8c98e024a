# SPDX-License-Identifier: Apache-2.0
"""A terminal with a program in it. Waiting is pexpect's; what a person would see is in `lines`.

What was read may end anywhere in a repaint: while the program runs, a test waits for a state of the screen (`becomes`).
"""

import io
import os
import re
import time

import pexpect

from living import Process, living_after
from screen import Screen

PATIENCE = 60  # seconds until something that should appear has appeared, on a loaded machine with two cores
A_LOOK = 0.05  # seconds in which `becomes` reads on before it looks again
BOLD, RED, GREEN, PLAIN = "\x1b[1m", "\x1b[31m", "\x1b[32m", "\x1b[0m"


class Terminal:
    def __init__(self, command, cwd, env, columns=80):
        self.columns = columns
        self.received = io.StringIO()
        self.child = pexpect.spawn(command[0], list(command[1:]), cwd=str(cwd), env=env, dimensions=(50, columns),
                                   encoding="utf-8", codec_errors="replace", timeout=PATIENCE)
        self.child.logfile_read = self.received
        self.child.delaybeforesend = None
        self.process = Process(self.child.pid)

    def shows(self, pattern, within=PATIENCE):
        """Waits until `pattern` (a regular expression) appears after what was last waited for."""
        try:
            self.child.expect(pattern, timeout=within)
        except (pexpect.TIMEOUT, pexpect.EOF) as missing:
            screen = "\n".join(self.lines)
            raise AssertionError(f"no {pattern!r} ({type(missing).__name__}); the screen:\n{screen}") from None
        return self.child.match

    def becomes(self, condition, within=PATIENCE):
        """Waits until `condition(lines)` holds; nothing that `shows` has yet to find is lost to it."""
        deadline = time.monotonic() + within
        ended = False
        while not condition(lines := self.lines):
            assert not ended and time.monotonic() < deadline, "it never looked so; the screen:\n" + "\n".join(lines)
            ended = self.child.expect([pexpect.TIMEOUT, pexpect.EOF], timeout=A_LOOK) == 1
        return lines

    def types(self, text):
        self.child.send(text)

    def ctrl_c(self):
        self.child.sendintr()

    def asked(self):
        """Ctrl-C, and the question stands there: its line, before the first second is counted down."""
        self.ctrl_c()
        self.shows(r"d detach .*s stop .*k kill.*\[d in 5 s\]")
        return Screen(self.columns).write(self.raw[:len(self.raw) - len(self.child.buffer)]).lines()[-1]

    def signal(self, number):
        os.kill(self.child.pid, number)

    def ends(self, within=PATIENCE):
        """Waits for the program's end; its exit code, or minus the signal that ended it."""
        try:
            self.child.expect(pexpect.EOF, timeout=within)
        except pexpect.TIMEOUT:
            screen = "\n".join(self.lines)
            raise AssertionError(f"it did not end; the screen:\n{screen}") from None
        self.leaves()
        self.child.close()
        return self.child.exitstatus if self.child.signalstatus is None else -self.child.signalstatus

    def close(self):
        """The window is closed: the kernel hangs up, and who stays all the same is killed."""
        if not self.child.closed:
            self.child.ptyproc.fileobj.close()
            self.leaves()
            self.child.close(force=True)

    def leaves(self):
        """Time for the program to end by itself: pexpect signals after a tenth of a second whoever has closed its terminal."""
        living_after([self.process], PATIENCE)

    @property
    def raw(self):
        """Every byte so far, as text."""
        return self.received.getvalue()

    @property
    def lines(self):
        """What stands on the screen and above it, without colours."""
        return Screen(self.columns).write(self.raw).lines()

    def line(self, pattern):
        """The one line that `pattern` is found in."""
        [found] = [line for line in self.lines if re.search(pattern, line)]
        return found
