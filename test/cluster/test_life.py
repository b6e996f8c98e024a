# SPDX-License-Identifier: Apache-2.0
"""The life of a job on a real cluster: two nodes, real containers, and the user's image without any part of muster."""

import calendar
import json
import time

from cluster import BASE_IMAGE
from jobs import LASTING

TIER = 3
LIFE = 120  # seconds
BACK_OFF = 10  # of a Job, before it replaces a pod that lived for less


def test_a_job_runs_on_two_nodes_and_says_what_its_ranks_say(jobs):
    done = jobs.muster("run", jobs.file("echo rank $MUSTER_RANK of $MUSTER_WORLD_SIZE on $(hostname)"), timeout=LIFE)
    assert done.returncode == 0, done.stderr + jobs.namespace.picture()
    assert "rank 0 of 2 on train" in done.stdout and "rank 1 of 2 on train" in done.stdout


def test_an_image_with_an_older_c_library_runs_muster(jobs, old_image):
    done = jobs.muster("run", jobs.file("echo rank $MUSTER_RANK has $(ls /lib/x86_64-linux-gnu/ld-2.*)", image=old_image), timeout=LIFE)
    assert done.returncode == 0, done.stderr + jobs.namespace.picture()
    assert "rank 1 has /lib/x86_64-linux-gnu/ld-2.31.so" in done.stdout


def test_an_image_with_musl_alone_runs_muster(jobs, musl_image):
    done = jobs.muster("run", jobs.file("", image=musl_image, command=["/bin/rank"]), timeout=LIFE)
    assert done.returncode == 0, done.stderr + jobs.namespace.picture()
    assert "rank 0 of 2 has musl" in done.stdout and "rank 1 of 2 has musl" in done.stdout


def test_a_job_that_is_submitted_can_be_looked_at_afterwards(jobs):
    name = jobs.submit("echo hello from $MUSTER_RANK")
    jobs.namespace.wait_for("the JobSet to complete", lambda: jobs.namespace.condition("jobset", name, "Completed"), LIFE)
    assert jobs.job(name)["state"] == "succeeded"
    assert "hello from 0" in jobs.logs(name) and "hello from 1" in jobs.logs(name)
    assert "hello from 1" in jobs.namespace.kubectl("logs", f"job/{name}-coordinator-0")  # for users who have only kubectl


def test_a_killed_rank_is_restarted_in_place(jobs):
    name = jobs.submit(LASTING, restarts={"limit": 1})
    jobs.wait_until(name, "running", LIFE)
    before = jobs.pods(name)
    second = list(before)[1]
    jobs.in_pod(second, "kill -9 $(cat /tmp/rank-1)")
    jobs.namespace.wait_for("attempt 2", lambda: jobs.job(name).get("attempt") == 2, LIFE)
    jobs.wait_until(name, "running", LIFE)
    assert jobs.pods(name) == before
    assert "was killed by SIGKILL" in jobs.muster("events", name).stdout
    jobs.let_go(name)
    jobs.wait_until(name, "succeeded", LIFE)


def test_a_job_whose_pods_have_ended_is_still_whole(jobs):
    script = 'echo out $MUSTER_RANK in $MUSTER_ATTEMPT; echo err $MUSTER_RANK >&2; [ $MUSTER_ATTEMPT = 2 ] || [ $MUSTER_RANK = 0 ] || exit 7'
    name = jobs.submit(script, restarts={"limit": 1})
    jobs.namespace.wait_for("the JobSet to complete", lambda: jobs.namespace.condition("jobset", name, "Completed"), LIFE)
    job = jobs.job(name)
    assert (job["attempt"], job["restarts"], job["attempts"][0]["cause"]) == (2, 1, f"rank 1 on {name}-worker-0-1 exited with code 7: err 1"), job
    first = jobs.muster("logs", name, "--rank", "1", "--attempt", "1", "--since", "1h")
    assert (sorted(first.stdout.splitlines()), first.stderr) == (["err 1", "out 1 in 1"], ""), first
    assert "exited with code 7" in jobs.muster("events", name).stdout
    (listed,) = json.loads(jobs.muster("ps", "-a", "-o", "json").stdout)["jobs"]
    assert (listed["state"], listed["restarts"]) == ("succeeded", 1), listed


def test_a_rank_that_needs_more_memory_than_its_pod_may_is_told_as_such(jobs):
    """With cgroup v1 the node kills one process and the agent reports it. With v2 it kills the container, and its last state shows it."""
    eats = '[ $MUSTER_RANK$MUSTER_ATTEMPT != 11 ] || exec dd if=/dev/zero of=/dev/null bs=400M count=1; echo done in $MUSTER_ATTEMPT'
    name = jobs.submit(eats, worker={"memory": "64MiB"}, restarts={"limit": 1})
    jobs.namespace.wait_for("the JobSet to complete", lambda: jobs.namespace.condition("jobset", name, "Completed"), LIFE)
    job = jobs.job(name)
    first = job["attempts"][0]
    assert first["cause"].startswith(f"rank 1 on {name}-worker-0-1") and "memory" in first["cause"], job
    assert job["restarts"] == 1, job


def test_a_deleted_pod_is_replaced_and_the_gang_runs_again(jobs):
    name = jobs.submit(LASTING, restarts={"limit": 1})
    jobs.wait_until(name, "running", LIFE)
    first, second = jobs.pods(name)
    jobs.namespace.kubectl("delete", "pod", second, "--grace-period=1", "--wait=false")
    jobs.namespace.wait_for("another pod, and the first", lambda: len(jobs.pods(name)) == 2 and second not in jobs.pods(name), LIFE)
    jobs.namespace.wait_for("attempt 2", lambda: jobs.job(name).get("attempt") == 2, LIFE)
    jobs.wait_until(name, "running", LIFE)
    assert first in jobs.pods(name)
    jobs.let_go(name)
    jobs.wait_until(name, "succeeded", LIFE)


def staying(seconds):
    """A termination delay longer than muster's default, for slow machines."""
    agent = {"name": "agent", "env": [{"name": "MUSTER_POD_STAY", "value": f"{seconds}s"}]}
    worker = {"name": "worker", "template": {"spec": {"template": {"spec": {"containers": [agent]}}}}}
    return {"image": BASE_IMAGE, "patch": {"spec": {"replicatedJobs": [worker]}}}


def test_a_pod_that_has_lived_is_replaced_without_a_wait(jobs):
    name = jobs.submit(LASTING, restarts={"limit": 1}, kubernetes=staying(BACK_OFF + 10))
    jobs.wait_until(name, "running", LIFE)
    _, second = jobs.pods(name)
    jobs.namespace.wait_for("its back-off to be over", lambda: created(jobs, name)[second] + BACK_OFF + 2 < time.time())
    deleted = int(time.time())
    jobs.namespace.kubectl("delete", "pod", second, "--wait=false")
    jobs.namespace.wait_for("another pod", lambda: max(created(jobs, name).values()) >= deleted, LIFE)
    assert max(created(jobs, name).values()) < deleted + BACK_OFF - 2
    jobs.namespace.wait_for("attempt 2", lambda: jobs.job(name).get("attempt") == 2, LIFE)
    jobs.wait_until(name, "running", LIFE)


def created(jobs, name):
    """The creation time of each of its pods in seconds, on this machine's clock."""
    return {pod["metadata"]["name"]: calendar.timegm(time.strptime(pod["metadata"]["creationTimestamp"], "%Y-%m-%dT%H:%M:%SZ"))
            for pod in jobs.pods_of(name, "worker")}


def test_ranks_go_on_while_the_coordinators_pod_is_replaced(jobs):
    name = jobs.submit(LASTING)
    jobs.wait_until(name, "running", LIFE)
    ranks, before = jobs.pods(name), jobs.pods(name, "coordinator")
    jobs.namespace.kubectl("delete", "pod", *before, "--grace-period=1", "--wait=false")
    jobs.namespace.wait_for("another coordinator", lambda: jobs.pods(name, "coordinator") not in (before, {}), LIFE)
    jobs.wait_until(name, "running", LIFE)
    jobs.let_go(name)
    jobs.namespace.wait_for("the JobSet to complete", lambda: jobs.namespace.condition("jobset", name, "Completed"), LIFE)
    assert jobs.pods(name) == ranks
    for rank in range(2):
        assert jobs.logs(name).count(f"rank {rank} of 2") == 1  # started once


def test_a_job_that_fails_says_why_in_its_jobset(jobs):
    name = jobs.submit("[ $MUSTER_RANK = 0 ] || exit 7; sleep 1000")
    jobs.namespace.wait_for("the JobSet to fail", lambda: jobs.namespace.condition("jobset", name, "Failed"), LIFE)
    sentence = f"rank 1 on {name}-worker-0-1 exited with code 7"
    assert jobs.job(name)["state"] == "failed"
    assert sentence[1:] in jobs.muster("why", name).stdout
    assert jobs.job(name)["ranks"][1]["exit"]["code"] == 7
    for part in ("coordinator", "verdict"):
        assert sentence in jobs.termination_message(name, part)


# Runs until its pod is deleted, and ends at once then.
SIDECAR = {"name": "proxy", "image": BASE_IMAGE, "command": ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 1; done"]}


def with_sidecars(manifests):
    """The same objects in a cluster that puts a container before muster's in each pod, as a service mesh does."""
    objects = json.loads(manifests)
    for item in objects["items"]:
        for part in item["spec"].get("replicatedJobs", []) if item["kind"] == "JobSet" else []:
            part["template"]["spec"]["template"]["spec"]["containers"].insert(0, SIDECAR)
    return json.dumps(objects)


def test_sidecars_before_the_containers_of_muster_hide_neither_ranks_nor_the_end(jobs):
    file = jobs.file(LASTING)
    for flags in (("--secret",), ()):
        rendered = jobs.muster("render", "-o", "json", *flags, file)
        assert rendered.returncode == 0, rendered.stderr
        jobs.namespace.apply(with_sidecars(rendered.stdout))
    try:
        jobs.wait_until("train", "running", LIFE)
        beside = jobs.muster("exec", "train", "--rank", "1", "-T", "--", "sh", "-c", "echo beside $MUSTER_RANK")
        assert beside.stdout == "beside 1\n", beside.stderr
        jobs.let_go("train")
        done = jobs.muster("wait", "train", timeout=LIFE)
        assert done.returncode == 0, done.stderr + jobs.namespace.picture()
        jobs.wait_until("train", "succeeded", LIFE)
        assert "went 0" in jobs.logs("train") and "went 1" in jobs.logs("train")
        (listed,) = json.loads(jobs.muster("ps", "-a", "-o", "json").stdout)["jobs"]
        assert listed["state"] == "succeeded", listed
    finally:
        jobs.namespace.kubectl("delete", "secret", "train-muster")  # no JobSet owns a Secret that was applied by hand


def test_a_job_is_stopped(jobs):
    name = jobs.submit(LASTING)
    jobs.wait_until(name, "running", LIFE)
    assert jobs.muster("stop", name).returncode == 0
    jobs.wait_until(name, "cancelled", LIFE)
    jobs.namespace.wait_for("no pod of ranks to run", lambda: jobs.pods(name) == {}, LIFE)


def test_a_node_that_reboots_comes_back_into_its_job(cluster, jobs):
    name = jobs.submit(LASTING, restarts={"limit": 1}, kubernetes={"image": BASE_IMAGE, "spread": "kubernetes.io/hostname"})
    jobs.wait_until(name, "running", LIFE)
    (coordinator,) = jobs.nodes_of(name, "coordinator")
    (other,) = jobs.nodes_of(name, "worker") - {coordinator}
    number = int(other.removeprefix("node-"))
    cluster.node("kill", number)
    cluster.node("start", number)
    jobs.namespace.wait_for("attempt 2", lambda: jobs.job(name).get("attempt") == 2, LIFE)
    jobs.wait_until(name, "running", LIFE)
    jobs.let_go(name)
    jobs.wait_until(name, "succeeded", LIFE)


def test_deleting_the_jobset_leaves_nothing(jobs):
    name = jobs.submit(LASTING)
    jobs.wait_until(name, "running", LIFE)
    jobs.namespace.kubectl("delete", "jobset", name, "--wait=false")
    # Before the cluster's grace period for pods has passed.
    jobs.namespace.wait_for("nothing of it to be left", lambda: jobs.left() == [], 30)
