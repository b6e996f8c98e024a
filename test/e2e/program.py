# SPDX-License-Identifier: Apache-2.0
"""`Muster`: the program as one user runs it, with a home, a working folder and a state folder of its own."""

import contextlib
import json
import os
import signal
import subprocess
from pathlib import Path

from commands import Done, Running
from leaks import names_in, runtime_folder
from processes import alive, command_line, parent, processes_of
from waiting import PATIENCE, wait_for

INHERITED = ("PATH", "USER", "LOGNAME", "SHELL", "LANG", "ASAN_OPTIONS", "UBSAN_OPTIONS")


class Muster:
    def __init__(self, folder):
        self.binary = os.environ["MUSTER_BINARY"]
        self.home, self.work, self.state = folder / "home", folder / "work", folder / "state"
        self.home.mkdir()
        self.work.mkdir()
        self.started = []
        self.runtime_before = names_in(runtime_folder())
        self.env = {name: os.environ[name] for name in INHERITED if name in os.environ}
        self.env |= {"HOME": str(self.home), "TERM": "dumb", "MUSTER_STATE_DIR": str(self.state), "MUSTER_IDLE": "500ms"}

    def options(self, env, cwd):
        return {"env": self.env | (env or {}), "cwd": cwd or self.work}

    def __call__(self, *arguments, env=None, cwd=None, stdin=b""):
        """Runs `muster ARGUMENTS` to its end."""
        words = [self.binary, *map(str, arguments)]
        done = subprocess.run(words, input=stdin, capture_output=True, timeout=2 * PATIENCE, check=False, **self.options(env, cwd))
        return Done(words, done.returncode, done.stdout, done.stderr)

    def shell(self, text):
        """Runs a line of sh as this user."""
        done = subprocess.run(["sh", "-c", text], capture_output=True, timeout=2 * PATIENCE, check=False, **self.options(None, None))
        return Done(["sh", "-c", text], done.returncode, done.stdout, done.stderr)

    def ok(self, *arguments, **options):
        done = self(*arguments, **options)
        assert done.code == 0, done
        return done

    def start(self, *arguments, env=None, cwd=None, **options):
        """Starts `muster ARGUMENTS` and returns it `Running`."""
        place = self.home.parent / f"command-{len(self.started)}"
        running = Running([self.binary, *map(str, arguments)], place, **self.options(env, cwd), **options)
        self.started.append(running)
        return running

    def submit(self, *arguments, **options):
        """Submits a job and returns its name."""
        return self.ok("submit", "-q", *arguments, **options).out.strip()

    def write(self, name, text):
        """A file in the working folder, such as a job file or a rank's script."""
        path = self.work / name
        path.write_text(text)
        return path

    def job_file(self, path="job.yaml", /, **keys):
        """A job file with these keys; JSON is YAML."""
        return self.write(path, json.dumps(keys, indent=1))

    def job(self, name="@last"):
        return self.ok("describe", name, "-o", "json").json()

    def wait_for_state(self, state, name="@last"):
        """Until the job, which another command may just be starting, is in this state; returns the job."""
        def reached():
            done = self("describe", name, "-o", "json")
            return done.code == 0 and (job := done.json())["state"] == state and job
        return wait_for(reached, lambda: f"{state}: {self('describe', name)}")

    def wait_for_ranks(self, name="@last", attempt=1):
        """Until every rank of this attempt runs; returns the job."""
        def running():
            job = self.job(name)
            ready = job["ranks"] and all(rank["phase"] == "running" and "pid" in rank for rank in job["ranks"])
            return job["attempt"] == attempt and ready and job
        return wait_for(running, lambda: f"all ranks to run: {self.ok('describe', name)}")

    def wait_for_file(self, name):
        """Until the rank has written a whole line into this file of the working folder; returns its text."""
        path = self.work / name
        return wait_for(lambda: path.exists() and path.read_text().endswith("\n") and path.read_text(), f"the file {name}")

    def sentences(self, name="@last"):
        """What the job's timeline says, a sentence a line."""
        return "\n".join(event["sentence"] for event in self.ok("events", name, "-o", "json").json_lines() if event["sentence"])

    def folder(self, name="@last"):
        """The job's folder in the state folder."""
        return self.state / "jobs" / self.job(name)["id"]

    def output_of(self, name="@last", rank=0, attempt=1, stream="out"):
        return self.folder(name) / f"attempt-{attempt}" / f"worker-{rank}.{stream}"

    def processes(self, *words):
        """Ours, whose command line begins with the program and these words: `serve`, `agent`."""
        end = 1 + len(words)
        return [pid for pid in processes_of(self.home)
                if (line := command_line(pid)) and line[0].endswith("/muster") and line[1:end] == list(words)]

    def controller(self):
        return wait_for(lambda: self.processes("serve"), "a controller")[0]

    def kill_controller(self):
        def killed():
            self.ok("ps")  # an idle one may just have left, or be about to
            with contextlib.suppress(IndexError, ProcessLookupError):
                pid = self.processes("serve")[0]
                os.kill(pid, signal.SIGKILL)
                return pid
        pid = wait_for(killed, "a controller to kill")
        wait_for(lambda: not alive(pid), f"the controller {pid} to be dead")

    def agent_of(self, rank):
        """Agent and guardian above the process of a rank."""
        agent = parent(rank)
        assert agent in self.processes("agent")
        return agent, parent(agent)

    def wait_until_idle(self):
        wait_for(lambda: not processes_of(self.home), "the idle controller to leave")

    def kill_all(self):
        """The controller first: it would start again what it misses. Until nothing is found: a process may just be starting another."""
        for pid in self.processes("serve"):
            self.kill(pid)
        while pids := processes_of(self.home):
            for pid in pids:
                self.kill(pid)

    @staticmethod
    def kill(pid):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
