# SPDX-License-Identifier: Apache-2.0
"""Setup of hosts before ranks start (setup, python: {venv: …}), over a real sshd."""

import json

import pytest

from desk import ranks_on
from waiting import wait_for

HERE = "/home/mia/project"
COUNT = "/home/mia/times"  # on each host, outside the synced folder
VENV = ("mkdir -p .venv/bin && printf '#!/bin/sh\\necho python of $VIRTUAL_ENV with $(cat \"$VIRTUAL_ENV\"/pins)\\n' > .venv/bin/python"
        f" && chmod +x .venv/bin/python && cp needs.txt .venv/pins && echo done >> {COUNT} && echo set up on $(hostname)")


@pytest.fixture
def project(network, hosts, desk):
    network.here.write(f"{HERE}/needs.txt", "torch\n")
    yield Project(network, desk)
    network.here.run("rm", "-rf", HERE)


class Project:
    def __init__(self, network, desk):
        self.network, self.desk = network, desk

    def write(self, setup, **more):
        job = {"command": ["python", "train.py"], "workdir": {"sync": True}, "python": {"venv": ".venv"},
               "setup": [["sh", "-c", setup]], **more}
        self.network.here.write(f"{HERE}/job.yaml", json.dumps(job))

    def run(self, *words, hosts="a1,a2"):
        return self.desk.muster("run", "--backend", "ssh", "--hosts", hosts, f"{HERE}/job.yaml", *words)


def times(host):
    return host.run("sh", "-c", f"cat {COUNT} 2>/dev/null | wc -l").strip()


def test_once_a_host_and_again_after_an_edit(network, hosts, project):
    project.write(VENV)
    first = project.run("--name", "first")
    assert first.returncode == 0, first.stderr
    assert first.stdout.count("python of ") == 2 and first.stdout.count("with torch") == 2, first.stdout
    assert "[setup@a1] set up on " in first.stderr and "[setup@a2] set up on " in first.stderr, first.stderr
    told = project.desk.job("first")
    assert "setup" in told["spent"] and {"preparing", "prepared"} <= set(told["attempts"][0]), told
    second = project.run("--name", "second")
    assert second.returncode == 0 and second.stdout.count("with torch") == 2, second.stderr
    assert [times(host) for host in hosts[:2]] == ["1", "1"]
    network.here.write(f"{HERE}/needs.txt", "torch==2.1\n")
    third = project.run("--name", "third")
    assert third.returncode == 0 and third.stdout.count("with torch==2.1") == 2, third.stderr
    assert [times(host) for host in hosts[:2]] == ["2", "2"]
    assert "[setup@a2] set up on " in project.desk.muster("logs", "first").stdout


def test_a_real_environment_of_pip(network, hosts, project):
    """python3 -m venv creates it on each host; pip installs a package of the job's own folder, so no network is needed."""
    network.here.write(f"{HERE}/own/setup.py", "from setuptools import setup\nsetup(name='own', version='1.2', py_modules=['own'])\n")
    network.here.write(f"{HERE}/own/own.py", "WORD = 'from the environment'\n")
    network.here.write(f"{HERE}/train.py", "import sys, own\nprint(own.WORD, sys.prefix)\n")
    # Built with the system's setuptools; otherwise pip would download it.
    job = {"command": ["python", "train.py"], "workdir": {"sync": True}, "python": {"venv": ".venv"},
           "setup": [["python3", "-m", "venv", "--system-site-packages", ".venv"],
                     [".venv/bin/pip", "install", "--no-index", "--no-build-isolation", "--no-deps", "./own"]]}
    network.here.write(f"{HERE}/job.yaml", json.dumps(job))
    done = project.run()
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stdout.splitlines() if "from the environment" in line]
    assert len(lines) == 2 and all(line.endswith("/.venv") for line in lines), done.stdout


def test_a_failure_on_one_host_is_named(network, hosts, project):
    hosts[1].run("touch", "/home/mia/broken")
    project.write(f"{VENV}; echo no room for torch >&2; test ! -e /home/mia/broken")
    done = project.run()
    assert done.returncode == 1 and "setup failed on a2: `sh -c" in done.stderr, done.stderr
    assert "exited with code 1: no room for torch" in done.stderr and "python of" not in done.stdout


def test_a_virtual_environment_that_one_host_has_not(network, hosts, project):
    project.write("true")
    done = project.run(hosts="a1")
    assert done.returncode == 1 and "a1 has no virtual environment /home/mia/.cache/muster/code/" in done.stderr, done.stderr


def test_a_job_that_is_killed_meanwhile_leaves_nothing(network, hosts, project):
    project.write("setsid sleep 1003 & exec sleep 1004")
    done = project.desk.muster("submit", "-q", "--backend", "ssh", "--hosts", "a1,a2", f"{HERE}/job.yaml")
    assert done.returncode == 0, done.stderr
    name = done.stdout.strip()
    for host in hosts[:2]:
        wait_for(lambda host=host: ranks_on(host, "sleep 1003") and ranks_on(host, "sleep 1004"), "both to run", 60)
    assert "setup on " in project.desk.muster("describe", name).stdout
    project.desk.muster("kill", name)
    project.desk.wait_until(name, "cancelled")
    for host in hosts[:2]:
        wait_for(lambda host=host: not ranks_on(host, "sleep 100"), lambda host=host: f"nothing: {host.processes()}", 60)


def test_a_link_that_is_cut_meanwhile_is_no_failure(network, hosts, project):
    project.write(f"until test -e /tmp/go; do sleep 0.05; done; {VENV}")
    done = project.desk.muster("submit", "-q", "--backend", "ssh", "--hosts", "a1", f"{HERE}/job.yaml")
    name = done.stdout.strip()
    wait_for(lambda: ranks_on(hosts[0], "until test"), "the setup to run", 60)
    hosts[0].hang_up()
    hosts[0].run("touch", "/tmp/go")
    hosts[0].serve(network.public_key)
    project.desk.wait_until(name, "succeeded")
    assert times(hosts[0]) == "1" and "set up on" in project.desk.muster("logs", name).stdout
