# SPDX-License-Identifier: Apache-2.0
"""A new user: a home, a conda environment first in PATH, a project folder, and terminals."""

import os
import pathlib
import shutil
import signal
import subprocess

from living import kill_all, living_after, processes_of
from terminal import Terminal

LAUNCHED = 60  # seconds for a command without a terminal, on a loaded machine with two cores
LEAVING = 30  # seconds for the remaining processes of an ended job


class Newcomer:
    def __init__(self, folder, name="home"):
        self.windows = []
        self.home = folder / name
        self.project = self.home / "project"
        self.project.mkdir(parents=True)
        self.conda = folder / (name + "-conda") / "envs" / "dev"
        tools = folder / "tools"
        make_conda(self.conda)
        tools.mkdir(exist_ok=True)
        if not (tools / "muster").is_symlink():
            (tools / "muster").symlink_to(os.environ["MUSTER_BINARY"])
        self.environment = {
            "HOME": str(self.home), "USER": os.environ.get("USER", "newcomer"), "SHELL": "/bin/bash",
            "LANG": "C.UTF-8", "TERM": "xterm-256color",
            "PATH": f"{self.conda}/bin:{tools}:/usr/local/bin:/usr/bin:/bin",
            "CONDA_PREFIX": str(self.conda), "CONDA_DEFAULT_ENV": "dev", "PYTHONDONTWRITEBYTECODE": "1",
        }
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS"):
            if name in os.environ:
                self.environment[name] = os.environ[name]

    def write(self, name, text):
        path = self.project / name
        path.write_text(text)
        return path

    def terminal(self, *command, columns=80, **variables):
        """`command` in a terminal of its own, in the project folder."""
        window = Terminal(command, cwd=self.project, env={**self.environment, **variables}, columns=columns)
        self.windows.append(window)
        return window

    def muster(self, *words, columns=80, **variables):
        return self.terminal("muster", *words, columns=columns, **variables)

    def shell(self, columns=80):
        """A bash with the prompt `$ `."""
        shell = self.terminal("bash", "--norc", "--noprofile", columns=columns, PS1="$ ")
        shell.shows(r"\$ ")
        return shell

    def piped(self, *command, **options):
        """Runs `command` without a terminal; returns exit code, stdout and stderr."""
        return subprocess.run(command, cwd=self.project, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=LAUNCHED, check=False, **options)

    def started(self, *command, **options):
        """Starts `command` without a terminal and does not wait."""
        return subprocess.Popen(command, cwd=self.project, env=self.environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)

    def state_folder(self):
        """The only folder of this machine."""
        [folder] = (self.home / ".local/state/muster").iterdir()
        return folder

    def processes(self):
        """Those with this home, also if a test has set another one."""
        return processes_of(self.home, self.environment["HOME"])

    def controllers(self):
        return [process for process in self.processes() if process.command[1:2] == ["serve"]]

    def controller(self):
        [one] = self.controllers()
        return one

    def others(self):
        controllers = [one.pid for one in self.controllers()]
        return [process for process in self.processes() if process.pid not in [os.getpid(), *controllers]]

    def leave(self):
        """Closes all windows and ends the idle controller; waiting agents end with it. Returns processes that still run although their job
        has ended."""
        for window in self.windows:
            window.close()
        controllers = self.controllers()
        if controllers:  # a job that has not ended when its controller ends waits for the next controller
            jobs = self.piped("muster", "ps", "-o", "name").stdout.split()
            if jobs:
                self.piped("muster", "wait", "-q", "--timeout", f"{LEAVING}s", *jobs)
        for one in controllers:
            one.kill(signal.SIGTERM)
        left = living_after(controllers, LEAVING) + living_after(self.others(), LEAVING)
        return [str(process) for process in left]

    def end(self, failed):
        """Runs after a test: fails if something of it is left, unless the test failed anyway; removes what is left."""
        left = [] if failed else self.leave()
        kill_all(self.controllers)  # first, since it would restart the others
        kill_all(self.others)
        for window in self.windows:
            window.close()
        assert left == [], f"left behind: {left}"


def make_conda(folder):
    """What `conda activate dev` puts first in PATH: an interpreter with both names."""
    (folder / "bin").mkdir(parents=True)
    for name in ("python3", "python"):
        (folder / "bin" / name).symlink_to(pathlib.Path(shutil.which("python3", path="/usr/bin:/bin")))
