# SPDX-License-Identifier: Apache-2.0
"""A rank of the chaos: plays the steps that its plan gives it, and keeps a record of its own outside muster's folders.

    rank_program.py PLAN RECORDS ARGUMENT…          a rank; PLAN and the steps: plans.py; the lines of the record: rank_records.py
    rank_program.py child RECORD SECONDS FLAG…      a process that a rank leaves: `deaf` ignores signals, `headless` ends its main thread

The record of a process is one file of JSON lines. A line is appended before and after each step whose effect muster must keep, so
that the record of a process that was killed says what it had done and what it was doing.
"""

import contextlib
import ctypes
import hashlib
import json
import os
import random
import resource
import select
import signal
import socket
import sys
import threading
import time
import traceback

CHUNK = 1 << 20  # bytes of one write(2)
BLOCK = 1 << 16  # bytes after which an output repeats itself
SAVED = 1000  # bytes that a rank writes when it is told to stop, if it has the step `saves`
SOCKET_PATIENCE = 5  # seconds in which the agent must answer at MUSTER_SOCKET
STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def output_of(kind, seed, size):
    """The bytes of a `write` step."""
    chance = random.Random(seed)
    block = chance.randbytes(min(size, BLOCK))
    if kind != "binary":
        block = block.hex().encode()[:len(block)]
    if kind == "lines":
        block = b"\n".join(block[at:at + 79] for at in range(0, len(block), 80))
        block = block.ljust(min(size, BLOCK), b"\n")
    whole = (block * (size // max(1, len(block)) + 1))[:size]
    return whole[:-1] + b"\n" if kind != "binary" and size else whole


def steps_of(plan, rank, attempt):
    """The steps of a rank in an attempt. Attempts after the last listed one repeat its steps."""
    attempts = plan["ranks"][rank]
    return attempts[min(attempt, len(attempts)) - 1]


def start_time(pid):
    """Field 22 of /proc/PID/stat: with the pid it names one process for good. None: there is no such process."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return int(file.read().rpartition(b")")[2].split()[19])
    except (OSError, IndexError):
        return None


def alive(pid, started):
    """Whether a thread of this process runs; the main thread may have ended before the others."""
    if start_time(pid) != started:
        return False
    try:
        tasks = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return False
    return any(task_state(pid, task) not in ("", "Z", "X") for task in tasks)


def task_state(pid, task):
    try:
        with open(f"/proc/{pid}/task/{task}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0].decode()
    except (OSError, IndexError):
        return ""


class Record:
    def __init__(self, path):
        self.path = path
        self.file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        if self.file < 10:  # a step may close the standard descriptors, also those that were closed at the start
            high = os.dup2(self.file, 100, inheritable=False)
            os.close(self.file)
            self.file = high

    def add(self, **line):
        os.write(self.file, json.dumps(line | {"at": time.clock_gettime(time.CLOCK_BOOTTIME)}).encode() + b"\n")


def pause(seconds):
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0:
        select.select([], [], [], left)


class Rank:
    def __init__(self, plan, records, arguments):
        self.plan, self.arguments = plan, arguments
        self.index, self.attempt = int(os.environ["MUSTER_INDEX"]), int(os.environ["MUSTER_ATTEMPT"])
        self.records = records
        self.record = Record(f"{records}/rank-{self.index}.attempt-{self.attempt}.{os.getpid()}")
        self.record.add(start=os.getpid(), started=start_time(os.getpid()), parent=os.getppid(), job=os.environ["MUSTER_JOB_ID"],
                        socket=os.environ["MUSTER_SOCKET"])
        self.children = 0

    def seed(self, step):
        return f"{self.plan['seed']}/{self.index}/{self.attempt}/{step}"

    def check(self):
        """Checks what muster gave to the rank: arguments, variables, secret, working folder and socket. Checks also that no process of
        an earlier attempt is alive.
        """
        expected, wrong = self.plan["expected"], []
        if digest(repr([os.fsencode(word) for word in self.arguments])) != expected["arguments"]:
            wrong.append("its arguments")
        for name, wanted in expected["variables"].items():
            if digest(os.environb.get(os.fsencode(name), b"")) != wanted:
                wrong.append(f"its variable {name}")
        if expected["workdir"] != os.getcwd():
            wrong.append(f"its working folder {os.getcwd()!r}")
        if not answers(os.environ["MUSTER_SOCKET"]):
            wrong.append(f"the socket {os.environ['MUSTER_SOCKET']}, which does not answer")
        if wrong:
            self.record.add(wrong=wrong)
        beside = [pid for pid in earlier_parts(self.records, self.attempt) if alive(*pid)]
        if beside:
            self.record.add(beside=beside)

    def play(self):
        for number, (name, *values) in enumerate(steps_of(self.plan, self.index, self.attempt)):
            getattr(self, name)(number, *values)
        self.end(0)

    def end(self, code, told=False):
        self.record.add(end=code, told=told)
        os._exit(code)

    def write(self, step, stream, kind, size):
        data = output_of(kind, self.seed(step), size)
        for at in range(0, size, CHUNK):
            self.write_chunk(step, stream, data, at)

    def write_chunk(self, step, stream, data, at):
        """SIGTERM waits until the record has the result: the step `saves` writes too."""
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
        self.record.add(write=step, stream=stream, offset=at, size=len(data[at:at + CHUNK]))
        try:
            self.record.add(wrote=os.write(stream, data[at:at + CHUNK]))
        except OSError as error:
            self.record.add(wrote=0, error=error.errno)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def wait(self, _, seconds):
        pause(seconds)

    def close(self, _, *streams):
        for stream in streams:
            os.close(stream)

    def deaf(self, _):
        for number in STOP_SIGNALS:
            signal.signal(number, signal.SIG_IGN)

    def saves(self, step):
        """From now on it writes a last line when it is told to stop, and exits with 0."""
        def save(number, frame):
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            self.write_chunk(step, 1, output_of("lines", self.seed(step), SAVED), 0)
            self.end(0, told=True)
        signal.signal(signal.SIGTERM, save)

    def exit(self, _, code):
        self.end(code)

    def signal(self, _, number):
        self.record.add(signal=number)
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
        os.kill(os.getpid(), number)
        pause(60)

    def leave(self, _, seconds, own_session, environment, *flags):
        """Leaves a process; returns when that process has written its record."""
        self.children += 1
        path = f"{self.record.path}.child-{self.children}"
        ready, tell = os.pipe()
        first = os.fork()
        if first == 0:
            if own_session:
                os.setsid()
            if os.fork() == 0:
                os.set_inheritable(tell, True)
                words = [sys.executable, "-S", "-E", __file__, "child", path, str(seconds), str(tell), str(int(own_session)), *flags]
                os.execve(sys.executable, words, dict(os.environ) if environment else {})
            os._exit(0)
        os.close(tell)
        os.waitpid(first, 0)
        os.read(ready, 1)  # empty if the process was killed before
        os.close(ready)


def digest(data):
    return hashlib.sha256(data if isinstance(data, bytes) else data.encode()).hexdigest()


def answers(path):
    deadline = time.monotonic() + SOCKET_PATIENCE
    while time.monotonic() < deadline:
        try:
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(path)
                return True
        except OSError:
            pause(0.05)
    return False


def earlier_parts(records, attempt):
    """(pid, start time) of the processes of earlier attempts that may not run beside this one. A helper in a session of its own may."""
    for name in os.listdir(records):
        words = name.split(".")
        if len(words) > 1 and words[1].startswith("attempt-") and int(words[1].removeprefix("attempt-")) < attempt:
            with open(f"{records}/{name}", "rb") as file:
                line = file.readline()
            first = json.loads(line) if line.endswith(b"\n") else {}
            if first and not first.get("own_session"):
                yield first["start"], first["started"]


def child(path, seconds, tell, own_session, *flags):
    record = Record(path)
    if "deaf" in flags:
        for number in STOP_SIGNALS:
            signal.signal(number, signal.SIG_IGN)
    record.add(start=os.getpid(), started=start_time(os.getpid()), own_session=bool(int(own_session)), environment="MUSTER_JOB_ID" in os.environ, flags=flags)
    with contextlib.suppress(BrokenPipeError):  # its rank was killed
        os.write(int(tell), b"x")
    os.close(int(tell))
    if "headless" in flags:
        threading.Thread(target=lambda: (pause(float(seconds)), os._exit(0))).start()
        ctypes.CDLL(None).pthread_exit(None)
    pause(float(seconds))
    os._exit(0)


def main(words):
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if words[0] == "child":
        child(*words[1:])
    with open(words[0], encoding="utf-8") as file:
        plan = json.load(file)
    rank = Rank(plan, words[1], words[2:])
    try:
        rank.check()
        rank.play()
    except BaseException:  # the chaos itself is wrong: a finding
        rank.record.add(trouble=traceback.format_exc())
        os._exit(99)


if __name__ == "__main__":
    main(sys.argv[1:])
