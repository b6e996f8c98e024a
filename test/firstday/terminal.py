# SPDX-License-Identifier: Apache-2.0
"""A terminal that runs a program. pexpect does the waiting; `lines` is the text that a person would see.

The text read so far may end in the middle of a repaint. So while the program runs, tests wait for a state of the screen (`becomes`).
"""

import io
import os
import re
import time

import pexpect

from living import Process, living_after
from screen import Screen

PATIENCE = 60  # seconds for an expected text to appear, on a loaded machine with two cores
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
        """Waits until `pattern` (a regular expression) appears after the previous match."""
        try:
            self.child.expect(pattern, timeout=within)
        except (pexpect.TIMEOUT, pexpect.EOF) as missing:
            screen = "\n".join(self.lines)
            raise AssertionError(f"no {pattern!r} ({type(missing).__name__}); the screen:\n{screen}") from None
        return self.child.match

    def becomes(self, condition, within=PATIENCE):
        """Waits until `condition(lines)` holds; does not consume text that `shows` has yet to match."""
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
        """Sends Ctrl-C and waits for the line of the question, before the first second is counted down."""
        self.ctrl_c()
        self.shows(r"d detach .*s or Ctrl-C stop .*k kill.*\[d in 5 s\]")
        return Screen(self.columns).write(self.raw[:len(self.raw) - len(self.child.buffer)]).lines()[-1]

    def signal(self, number):
        os.kill(self.child.pid, number)

    def ends(self, within=PATIENCE):
        """Waits for the program's end; returns its exit code, or minus the signal."""
        try:
            self.child.expect(pexpect.EOF, timeout=within)
        except pexpect.TIMEOUT:
            screen = "\n".join(self.lines)
            raise AssertionError(f"it did not end; the screen:\n{screen}") from None
        self.leaves()
        self.child.close()
        return self.child.exitstatus if self.child.signalstatus is None else -self.child.signalstatus

    def close(self):
        """Closes the window: the kernel sends SIGHUP; a process that stays is killed."""
        if not self.child.closed:
            self.child.ptyproc.fileobj.close()
            self.leaves()
            self.child.close(force=True)

    def leaves(self):
        """Gives the program time to end by itself: otherwise pexpect signals it 0.1 s after its terminal was closed."""
        living_after([self.process], PATIENCE)

    @property
    def raw(self):
        """All bytes so far, as text."""
        return self.received.getvalue()

    @property
    def lines(self):
        """The lines on the screen and above it, without colours."""
        return Screen(self.columns).write(self.raw).lines()

    def line(self, pattern):
        """The one line that contains `pattern`."""
        [found] = [line for line in self.lines if re.search(pattern, line)]
        return found
