"""`Muster`: the program as one user runs it, with a home, a working folder and a state folder of its own."""

import json
import os
import signal
import subprocess
from pathlib import Path

from leaks import names_in, runtime_folder
from processes import command_line, processes_of
from waiting import PATIENCE, wait_for

INHERITED = ("PATH", "USER", "LOGNAME", "SHELL", "LANG", "ASAN_OPTIONS", "UBSAN_OPTIONS")


class Done:
    """How a command ended: `code`, `out` and `err` as text, `raw` as stdout's bytes."""

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
    """A command that goes on meanwhile; its output lies in files, so that nothing it does can block it."""

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
        """Waits until `text` has come out, on stdout or stderr."""
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
        return wait_for(lambda: (job := self.job(name))["state"] == state and job, lambda: f"{state}: {self.ok('describe', name)}")

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

    def kill_all(self):
        for pid in processes_of(self.home):
            Path(f"/proc/{pid}").exists() and os.kill(pid, signal.SIGKILL)
