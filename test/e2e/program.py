# SPDX-License-Identifier: Apache-2.0
"""`Muster`: runs the program as one user, with its own home, working folder and state folder."""

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
        """Runs `muster ARGUMENTS` and waits for its end."""
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
        """Writes a file into the working folder, such as a job file or a rank's script."""
        path = self.work / name
        path.write_text(text)
        return path

    def job_file(self, path="job.yaml", /, **keys):
        """Writes a job file with these keys, as JSON, which is valid YAML."""
        return self.write(path, json.dumps(keys, indent=1))

    def job(self, name="@last"):
        return self.ok("describe", name, "-o", "json").json()

    def wait_for_state(self, state, name="@last"):
        """Waits until the job has this state and returns it. The job may not exist yet."""
        def reached():
            done = self("describe", name, "-o", "json")
            return done.code == 0 and (job := done.json())["state"] == state and job
        return wait_for(reached, lambda: f"{state}: {self('describe', name)}")

    def wait_for_ranks(self, name="@last", attempt=1):
        """Waits until every rank of this attempt runs; returns the job."""
        def running():
            job = self.job(name)
            ready = job["ranks"] and all(rank["phase"] == "running" and "pid" in rank for rank in job["ranks"])
            return job["attempt"] == attempt and ready and job
        return wait_for(running, lambda: f"all ranks to run: {self.ok('describe', name)}")

    def wait_for_file(self, name):
        """Waits until the rank has written a whole line into this file of the working folder; returns its text."""
        path = self.work / name
        return wait_for(lambda: path.exists() and path.read_text().endswith("\n") and path.read_text(), f"the file {name}")

    def sentences(self, name="@last"):
        """The sentences of the job's timeline, one in each line."""
        return "\n".join(event["sentence"] for event in self.ok("events", name, "-o", "json").json_lines() if event["sentence"])

    def folder(self, name="@last"):
        """The job's folder in the state folder."""
        return self.state / "jobs" / self.job(name)["id"]

    def output_of(self, name="@last", rank=0, attempt=1, stream="out"):
        return self.folder(name) / f"attempt-{attempt}" / f"worker-{rank}.{stream}"

    def processes(self, *words):
        """Processes of this user whose command line is the program followed by these words, e.g. `serve`, `agent`."""
        end = 1 + len(words)
        return [pid for pid in processes_of(self.home)
                if (line := command_line(pid)) and line[0].endswith("/muster") and line[1:end] == list(words)]

    def controller(self):
        return wait_for(lambda: self.processes("serve"), "a controller")[0]

    def kill_controller(self):
        def killed():
            self.ok("ps")  # an idle controller may have ended, or be about to
            with contextlib.suppress(IndexError, ProcessLookupError):
                pid = self.processes("serve")[0]
                os.kill(pid, signal.SIGKILL)
                return pid
        pid = wait_for(killed, "a controller to kill")
        wait_for(lambda: not alive(pid), f"the controller {pid} to be dead")

    def agent_of(self, rank):
        """The agent and the guardian of a rank's process."""
        agent = parent(rank)
        assert agent in self.processes("agent")
        return agent, parent(agent)

    def wait_until_idle(self):
        wait_for(lambda: not processes_of(self.home), "the idle controller to leave")

    def kill_all(self):
        """Kills all processes, the controller first, since it would restart the others. Repeats until none is found."""
        for pid in self.processes("serve"):
            self.kill(pid)
        while pids := processes_of(self.home):
            for pid in pids:
                self.kill(pid)

    @staticmethod
    def kill(pid):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
