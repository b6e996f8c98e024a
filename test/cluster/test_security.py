# SPDX-License-Identifier: Apache-2.0
"""Connections to a job's pods without its token are refused, and its secrets are found nowhere."""

import base64
import json
import subprocess

import pytest

from jobs import LASTING

TIER = 3
LIFE = 120  # seconds
STRANGER = "15"  # seconds in which it tries to connect
SECRET = "correct-horse-battery-staple"
AGENT_PORT, FAILED_PORT = 7733, 7734

SCAN = """
import selectors, socket, sys
open_ports, waiting = [], {}
chosen = selectors.DefaultSelector()
def settle(seconds):
    for key, _ in chosen.select(seconds):
        chosen.unregister(key.fileobj)
        if key.fileobj.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0: open_ports.append(key.data)
        key.fileobj.close()
for port in range(1, 65536):
    one = socket.socket(); one.setblocking(False)
    if one.connect_ex((sys.argv[1], port)) == 0: open_ports.append(port); one.close(); continue
    chosen.register(one, selectors.EVENT_WRITE, port)
    while len(chosen.get_map()) > 200: settle(None)
while chosen.get_map(): settle(None)
print(sorted(open_ports))
"""
DIAL = "import socket, sys; socket.create_connection((sys.argv[1], int(sys.argv[2])), 5)"


@pytest.fixture
def running(jobs, monkeypatch):
    """A job with a secret that only its ranks know."""
    monkeypatch.setattr(jobs.namespace, "variables", lambda known=jobs.namespace.variables: known() | {"PASSPHRASE": SECRET})
    secret = {"PASSPHRASE": {"from": "env:PASSPHRASE"}}
    name = jobs.submit(f"test -n \"$PASSPHRASE\" && {LASTING}", env=secret, framework="plain")  # without a torch store
    jobs.wait_until(name, "running", LIFE)
    return name


def token_of(jobs, name):
    return base64.b64decode(jobs.namespace.get("secret", f"{name}-muster")["data"]["token"]).decode()


def address_of(jobs, name, part):
    return {pod["status"]["podIP"] for pod in jobs.pods_of(name, part)}


def test_only_the_coordinators_pod_has_ports_open(cluster, jobs, running):
    (coordinator,) = address_of(jobs, running, "coordinator")
    expected = {address: [] for address in address_of(jobs, running, "worker")} | {coordinator: [AGENT_PORT, FAILED_PORT]}
    for address, ports in expected.items():
        found = subprocess.run(cluster.words("python3", "-c", SCAN, address), capture_output=True, text=True, check=True).stdout
        assert json.loads(found) == ports, address
    jobs.let_go(running)
    jobs.wait_until(running, "succeeded", LIFE)
    jobs.namespace.wait_for("the coordinator to end", lambda: jobs.namespace.condition("jobset", running, "Completed"), LIFE)
    dialled = subprocess.run(cluster.words("python3", "-c", DIAL, coordinator, str(AGENT_PORT)), check=False, capture_output=True, text=True)
    assert dialled.returncode != 0 and "Error" in dialled.stderr, dialled


@pytest.mark.parametrize("whose", ["another job", "an earlier job of its name"])
def test_the_token_of_another_job_opens_nothing(jobs, whose):
    earlier = jobs.submit("true", name="train" if whose.startswith("an ") else "other")
    token = jobs.namespace.wait_for("its Secret", lambda: jobs.namespace.get("secret", f"{earlier}-muster") and token_of(jobs, earlier), LIFE)
    jobs.wait_until(earlier, "succeeded", LIFE)
    jobs.rm(earlier)
    running = jobs.submit(LASTING)
    jobs.wait_until(running, "running", LIFE)
    before = jobs.pods(running)
    (coordinator,) = address_of(jobs, running, "coordinator")
    secrets = jobs.namespace.folder / "stolen"
    secrets.mkdir()
    (secrets / "token").write_text(token)
    place = jobs.namespace.folder / "thief"
    place.mkdir()
    own = {"MUSTER_POD_FOLDER": place, "MUSTER_POD_SECRETS": secrets, "MUSTER_POD_TERMINATION_MESSAGE": place / "words", "MUSTER_POD_COORDINATOR": coordinator,
           "MUSTER_POD_UID": "stolen", "MUSTER_POD_NAME": "thief", "MUSTER_POD_GROUP": "0", "JOB_COMPLETION_INDEX": "1"}
    # As the verdict pod it connects each second until it is answered or told to end; a stranger gets no answer.
    *before_muster, muster, pod, verdict = jobs.namespace.words_of_muster("pod", "verdict")
    asked = subprocess.run([*before_muster, "timeout", "--preserve-status", STRANGER, muster, pod, verdict],
                           env=jobs.namespace.variables() | {k: str(v) for k, v in own.items()}, capture_output=True, text=True, timeout=LIFE, check=False)
    assert asked.stdout == "" and asked.returncode == 0, asked
    assert jobs.job(running)["state"] == "running" and jobs.pods(running) == before
    assert "thief" not in jobs.muster("events", running).stdout


def test_secrets_are_in_the_secret_alone(jobs, running):
    token = token_of(jobs, running)
    everything = jobs.namespace.kubectl("get", "jobsets,jobs,pods,configmaps,services,events", "-o", "yaml")
    told = [jobs.muster(*words).stdout for words in (["describe", running, "-o", "json"], ["events", running, "-o", "json"], ["logs", running], ["why", running])]
    logs = [jobs.namespace.kubectl("logs", pod, "--all-containers") for part in ("coordinator", "worker") for pod in jobs.pods(running, part)]
    for text in [everything, *told, *logs]:
        assert SECRET not in text and token not in text
    for pod in jobs.pods(running):
        assert jobs.in_pod(pod, "ls /muster-secret").split() == ["token"]
        assert SECRET not in jobs.in_pod(pod, "cat /proc/1/environ /muster/state/* 2>/dev/null | tr '\\0' '\\n'; grep -rl correct-horse /muster || true")
    jobs.let_go(running)
    jobs.wait_until(running, "succeeded", LIFE)
    jobs.rm(running)
