# SPDX-License-Identifier: Apache-2.0
"""The user's side of jobs on hosts: commands, their output, and the controller, which ends with the test."""

import json

from waiting import wait_for

PATIENCE = 60


class Desk:
    def __init__(self, network):
        self.network = network

    def muster(self, *words, timeout=120):
        return self.network.muster(*words, timeout=timeout)

    def submit(self, script, *words, hosts="a1,a2"):
        """Submits a job with a rank on each host that runs `script`; returns its name."""
        done = self.muster("submit", "-q", "--backend", "ssh", "--hosts", hosts, "--workdir", "/", *words, "--", "sh", "-c", script)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def job(self, name):
        done = self.muster("describe", name, "-o", "json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def events(self, name):
        return self.muster("events", name).stdout

    def wait_until(self, name, state, seconds=PATIENCE):
        wait_for(lambda: self.job(name)["state"] == state, lambda: f"{name} to be {state}: {self.events(name)}", seconds)

    def wait_for_event(self, name, words, seconds=PATIENCE):
        wait_for(lambda: words in self.events(name), lambda: f"{words}: {self.events(name)}", seconds)

    def controller(self):
        """The controller's pid on that machine; none if no controller runs."""
        lines = [line for line in self.network.here.processes() if line.endswith(" serve")]
        return lines[0].split()[0] if lines else None

    def kill_controller(self):
        self.network.here.run("kill", "-9", self.controller())
        wait_for(lambda: self.controller() is None, "the controller to be gone", PATIENCE)

    def end(self):
        for job in json.loads(self.muster("ps", "-o", "json").stdout or '{"jobs": []}')["jobs"]:
            self.muster("kill", job["name"])
            self.muster("wait", job["name"])
        if self.controller():
            self.network.here.run("kill", self.controller())
            wait_for(lambda: self.controller() is None, "the controller to leave", PATIENCE)
        self.network.here.run("sh", "-c", "rm -rf /home/mia/.local /tmp/muster-*")


def ranks_on(host, words):
    """Pids of the processes on that host whose command line contains these words."""
    return [line.split()[0] for line in host.processes() if words in line]


def left_in_folders(host):
    """Files of links, agents and ranks that should have been removed."""
    return host.run("sh", "-c", "find /tmp/muster-[0-9]* -mindepth 1 2>/dev/null || true").split()


def let_go(hosts):
    for host in hosts:
        host.run("touch", "/tmp/go")
