"""A terminal with a program in it. Waiting is pexpect's; what a person would see is in `lines`."""

import io
import os
import re

import pexpect

from screen import Screen

PATIENCE = 30  # seconds until something that should appear has appeared, on a loaded machine with two cores
BOLD, RED, GREEN, PLAIN = "\x1b[1m", "\x1b[31m", "\x1b[32m", "\x1b[0m"


class Terminal:
    def __init__(self, command, cwd, env, columns=80):
        self.columns = columns
        self.received = io.StringIO()
        self.child = pexpect.spawn(command[0], list(command[1:]), cwd=str(cwd), env=env, dimensions=(50, columns),
                                   encoding="utf-8", codec_errors="replace", timeout=PATIENCE)
        self.child.logfile_read = self.received
        self.child.delaybeforesend = None

    def shows(self, pattern, within=PATIENCE):
        """Waits until `pattern` (a regular expression) appears after what was last waited for."""
        try:
            self.child.expect(pattern, timeout=within)
        except (pexpect.TIMEOUT, pexpect.EOF) as missing:
            screen = "\n".join(self.lines)
            raise AssertionError(f"no {pattern!r} ({type(missing).__name__}); the screen:\n{screen}") from None
        return self.child.match

    def types(self, text):
        self.child.send(text)

    def ctrl_c(self):
        self.child.sendintr()

    def asked(self):
        """Ctrl-C, and the question stands there."""
        self.ctrl_c()
        self.shows(r"d detach .*s stop .*k kill.*\[d in 5 s\]")

    def signal(self, number):
        os.kill(self.child.pid, number)

    def ends(self, within=PATIENCE):
        """Waits for the program's end; its exit code, or minus the signal that ended it."""
        try:
            self.child.expect(pexpect.EOF, timeout=within)
        except pexpect.TIMEOUT:
            screen = "\n".join(self.lines)
            raise AssertionError(f"it did not end; the screen:\n{screen}") from None
        self.child.close()
        return self.child.exitstatus if self.child.signalstatus is None else -self.child.signalstatus

    def close(self):
        """The window is closed: the kernel hangs up, and who stays all the same is killed."""
        self.child.close(force=True)

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
