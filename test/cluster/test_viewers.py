# SPDX-License-Identifier: Apache-2.0
"""Views of jobs on a real cluster: through their coordinator, by waiting commands, and by a log if exec is denied."""

import os
import signal
import subprocess

import pytest

from jobs import LASTING
from waiting import wait_for

TIER = 3
LIFE = 120  # seconds

ROLE = """
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: muster-user}
rules:
- {apiGroups: [jobset.x-k8s.io], resources: [jobsets], verbs: [create, get, list, watch, delete]}
- {apiGroups: [""], resources: [secrets, configmaps], verbs: [create]}
- {apiGroups: [""], resources: [pods, pods/log], verbs: [get, list, watch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: muster-user}
subjects: [{kind: User, name: jane, apiGroup: rbac.authorization.k8s.io}]
roleRef: {kind: Role, name: muster-user, apiGroup: rbac.authorization.k8s.io}
"""


@pytest.fixture
def jane(jobs):
    """A user with the rights of docs/guide/kubernetes-admin.md, except exec."""
    jobs.namespace.apply(ROLE)
    mine = jobs.namespace.kubeconfig.read_text()
    assert mine.count("user: {") == 1, mine
    jobs.namespace.kubeconfig.with_name("jane").write_text(mine.replace("user: {", "user: {as: jane, "))
    jobs.namespace.kubeconfig = jobs.namespace.kubeconfig.with_name("jane")
    yield jobs
    jobs.namespace.kubeconfig = jobs.namespace.kubeconfig.with_name("kubeconfig")


def start(jobs, *words):
    """Starts a command; returns it and the files of its output."""
    out = open(jobs.namespace.folder / f"{words[0]}.out", "w+b")
    process = subprocess.Popen(jobs.namespace.words_of_muster(words[0], "--backend", "kubernetes", *words[1:]), env=jobs.namespace.variables(),
                               stdin=subprocess.DEVNULL, stdout=out, stderr=out, cwd=jobs.namespace.folder)
    return process, lambda: (jobs.namespace.folder / f"{words[0]}.out").read_text()


def says(jobs, text, words):
    wait_for(lambda: text in words(), lambda: f"`{text}` in {words()}\n{jobs.namespace.picture()}", LIFE)


def test_an_image_that_is_not_there_is_told_and_an_interrupt_stops_the_job(jobs):
    file = jobs.file("true", image="localhost/nothing:1", kubernetes={"image": "localhost/nothing:1", "pull_policy": "Never"})
    run, words = start(jobs, "run", str(file))
    says(jobs, "waits for container agent: ErrImageNeverPull", words)
    run.send_signal(signal.SIGINT)
    wait_for(lambda: run.poll() is not None, lambda: f"run to end: {words()}\n{jobs.namespace.picture()}", LIFE)
    assert run.returncode == 130, words()
    jobs.wait_until("train", "cancelled", LIFE)
    jobs.namespace.wait_for("no pod of ranks", lambda: jobs.pods("train") == {}, LIFE)


def test_an_interrupt_while_its_pods_begin_cancels_the_job(jobs):
    run, words = start(jobs, "run", str(jobs.file(LASTING)))
    says(jobs, "waits for", words)
    run.send_signal(signal.SIGINT)
    wait_for(lambda: run.poll() is not None, lambda: f"run to end: {words()}\n{jobs.namespace.picture()}", LIFE)
    assert run.returncode == 130 and "succeeded" not in words(), words()


def test_a_job_without_room_says_what_is_missing(jobs):
    name = jobs.submit("true", worker={"cpus": 1000})
    jobs.namespace.wait_for("the reason", lambda: "Insufficient cpu" in jobs.job(name).get("waits_for", ""), LIFE)
    assert "Insufficient cpu" in jobs.muster("why", name).stdout
    assert jobs.muster("stop", name).returncode == 0
    jobs.wait_until(name, "cancelled", LIFE)


def test_a_job_is_followed_from_elsewhere_and_exec_is_beside_its_rank(jobs):
    name = jobs.submit(LASTING)
    jobs.wait_until(name, "running", LIFE)
    attach, words = start(jobs, "attach", name)
    says(jobs, "rank 1 of 2", words)
    beside = jobs.muster("exec", name, "--rank", "1", "-T", "--", "sh", "-c", "echo beside $MUSTER_RANK; exit 5")
    assert (beside.stdout, beside.returncode) == ("beside 1\n", 5), beside.stderr
    assert name in jobs.muster("top", "--once").stdout
    for pid in children_of(attach.pid):  # killing its kubectl cuts the stream
        os.kill(pid, signal.SIGKILL)
    jobs.let_go(name)
    assert attach.wait(LIFE) == 0, words()
    assert sorted(line for line in words().splitlines() if line.startswith("[") and "went" in line) == ["[0] went 0", "[1] went 1"], words()


def children_of(pid):
    return [int(word) for word in subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False).stdout.split()]


def test_who_may_not_exec_reads_the_log(jane):
    name = jane.submit(LASTING)
    wait_for(lambda: "rank 1 of 2" in jane.logs(name), lambda: jane.logs(name) + jane.namespace.picture(), LIFE)
    logs = jane.muster("logs", name)
    assert "`jane` may not create pods/exec" in logs.stderr, logs.stderr
    assert "deleting its JobSet" in jane.muster("stop", name).stderr


def test_what_is_refused_creates_nothing(jane):
    elsewhere = jane.muster("submit", jane.file("true"), "--namespace", "default")
    assert elsewhere.returncode == 4 and "`jane` may not create jobsets" in elsewhere.stderr, elsewhere.stderr
    nowhere = jane.muster("ps", "--context", "nowhere")
    assert nowhere.returncode == 2 and "no context `nowhere`" in nowhere.stderr, nowhere.stderr
