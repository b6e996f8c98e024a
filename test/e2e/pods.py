# SPDX-License-Identifier: Apache-2.0
"""Runs the processes of a job's pods on one machine. Each pod has its own loopback address, folder and environment."""

import json
import os
import random
import secrets
import signal
import socket
import subprocess
import threading

from leaks import runtime_folder, socket_name
from processes import all_pids, alive, words_of
from waiting import wait_for

AGENT_PORT, FAILED_PORT = 7733, 7734


class Pods:
    """The pods of one job. They see nothing of the user's environment, and no home."""

    def __init__(self, muster, folder):
        self.muster, self.folder = muster, folder
        self.network = f"127.{random.randint(2, 250)}.{random.randint(2, 250)}"
        self.secrets = folder / "secret"
        self.secrets.mkdir(parents=True)
        self.set_token(secrets.token_hex(32))

    def set_token(self, token):
        (self.secrets / "token").write_text(token)

    def environment(self, pod, uid, address, **more):
        place = self.folder / pod
        place.mkdir(exist_ok=True)
        own = {"MUSTER_POD_FOLDER": str(place), "MUSTER_POD_SECRETS": str(self.secrets), "MUSTER_POD_TERMINATION_MESSAGE": str(place / "last-words"),
               "MUSTER_POD_COORDINATOR": self.address(1), "MUSTER_POD_UID": uid, "MUSTER_POD_NAME": pod, "MUSTER_POD_ADDRESS": address,
               "MUSTER_POD_NODE": "machine"}
        return {"PATH": os.environ["PATH"]} | own | more

    def address(self, number):
        return f"{self.network}.{number}"

    def start(self, part, env):
        place = self.folder / f"command-{len(self.muster.started)}"
        from commands import Running
        running = Running([self.muster.binary, "pod", part], place, env=env, cwd=self.muster.work)
        self.muster.started.append(running)
        return running

    def coordinate(self, uid="c", pod="coordinator", stay="0s", **job):
        spec = json.dumps({"name": "podjob", "backend": "kubernetes"} | job)
        return self.start("coordinate", self.environment(pod, uid, self.address(1), MUSTER_POD_JOB=spec, MUSTER_POD_STAY=stay))

    def agent(self, index, uid=None, **more):
        own = {"MUSTER_POD_GROUP": "0", "JOB_COMPLETION_INDEX": str(index)} | more
        return self.start("agent", self.environment(f"worker-{index}", uid or f"w{index}", self.address(index + 2), **own))

    def verdict(self):
        return self.start("verdict", self.environment("verdict", "v", self.address(200)))

    def failure_message(self, pod="coordinator"):
        path = self.folder / pod / "last-words"
        return path.read_text() if path.exists() else ""

    def failed(self):
        """The result of the cluster's probe: whether the pod answers, without delay."""
        try:
            with socket.create_connection((self.address(1), FAILED_PORT), 1) as probe:
                probe.sendall(b"GET /failed HTTP/1.1\r\nHost: pod\r\n\r\n")
                return probe.recv(100).startswith(b"HTTP/1.1 200")
        except OSError:
            return False

    def reachable(self, port, address=None):
        try:
            socket.create_connection((address or self.address(1), port), 1).close()
            return True
        except OSError:
            return False

    def processes(self, pod=None):
        """The processes of one pod, or of all pods."""
        mark = f"MUSTER_POD_FOLDER={self.folder / pod}" if pod else f"MUSTER_POD_SECRETS={self.secrets}"
        return [pid for pid in all_pids() if mark in words_of(pid, "environ")]

    def kill_all(self):
        for pid in self.processes():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        wait_for(lambda: not [pid for pid in self.processes() if alive(pid)], "the pods to be gone")


class Viewers:
    """Connects commands to the coordinator: each connection to their controller socket starts a `muster pod view`."""

    def __init__(self, pods):
        self.pods = pods
        folder = runtime_folder()
        folder.mkdir(mode=0o700, exist_ok=True)
        self.path = folder / socket_name(pods.muster.state)
        self.door = socket.socket(socket.AF_UNIX)
        self.door.bind(str(self.path))
        self.door.listen()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                viewer, _ = self.door.accept()
            except OSError:
                return
            env = self.pods.environment("coordinator", "c", self.pods.address(1))
            with viewer:
                subprocess.Popen([self.pods.muster.binary, "pod", "view"], stdin=viewer, stdout=viewer, env=env)

    def close(self):
        self.door.shutdown(socket.SHUT_RDWR)
        self.door.close()
        self.path.unlink(missing_ok=True)
