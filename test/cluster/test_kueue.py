# SPDX-License-Identifier: Apache-2.0
"""Jobs in a Kueue queue: a job waits until there is capacity, and a preempted job starts again."""

import pytest

from cluster import BASE_IMAGE

TIER = 3
EXTRAS = ("kueue",)
LIFE = 180  # seconds

# Capacity for one job with two small pods, its coordinator and its verdict pod.
QUEUES = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {{name: {name}}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {{name: {name}}}
spec:
  namespaceSelector: {{}}
  preemption: {{withinClusterQueue: LowerPriority}}
  resourceGroups:
  - coveredResources: [cpu, memory]
    flavors: [{{name: {name}, resources: [{{name: cpu, nominalQuota: 400m}}, {{name: memory, nominalQuota: 2Gi}}]}}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {{name: team, namespace: {name}}}
spec: {{clusterQueue: {name}}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: WorkloadPriorityClass
metadata: {{name: {name}-urgent}}
value: 1000
"""


@pytest.fixture
def queue(jobs):
    """A LocalQueue `team` and the objects that it needs."""
    objects = QUEUES.format(name=jobs.namespace.name)
    jobs.namespace.apply(objects)
    yield jobs
    jobs.namespace.kubectl("delete", "jobset", "--all", "--timeout=60s")
    jobs.namespace.kubectl("delete", "-f", "-", "--timeout=60s", input=objects)


def kubernetes(**more):
    return {"image": BASE_IMAGE, "queue": "team", "resources": {"cpu": "100m", "memory": "64Mi"}, **more}


def kept(folder):
    """Ranks count their starts in a folder that outlives their pods, and run until they are released."""
    script = 'echo begun >>/kept/rank-$MUSTER_RANK; while [ ! -e /kept/go ]; do sleep 0.1; done; echo "rank $MUSTER_RANK began $(wc -l </kept/rank-$MUSTER_RANK) times"'
    return script, {"name": "kept", "mount": "/kept", "host_path": str(folder)}


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "kept"  # ranks are root, in the pods and on this machine
    path.mkdir()
    return path


def waits(jobs, name):
    job = jobs.job(name)
    return job.get("waits_for", "") if job["state"] == "queued" else ""


def test_a_job_waits_for_its_queue_and_starts_when_there_is_room(queue, folder):
    jobs = queue
    script, volume = kept(folder)
    first = jobs.submit(script, name="first", kubernetes=kubernetes(volumes=[volume]))
    jobs.wait_until(first, "running", LIFE)
    second = jobs.submit("echo second", name="second", kubernetes=kubernetes())
    jobs.namespace.wait_for("the second to wait", lambda: "insufficient unused quota for cpu" in waits(jobs, second), LIFE)
    assert "the queue `team`" in waits(jobs, second), waits(jobs, second)
    assert "the queue `team`" in jobs.muster("why", second).stdout
    run, words = jobs.start("attach", second)
    jobs.says("the queue `team`", words)
    (folder / "go").touch()
    jobs.wait_until(first, "succeeded", LIFE)
    assert run.wait(LIFE) == 0, words()
    assert "second" in words()
    jobs.wait_until(second, "succeeded", LIFE)  # the coordinator tells the end before its container has ended
    jobs.muster("rm", first)
    jobs.rm(second)


def test_a_job_that_makes_room_comes_again_and_finds_what_it_kept(queue, folder):
    jobs = queue
    script, volume = kept(folder)
    first = jobs.submit(script, name="first", kubernetes=kubernetes(volumes=[volume]))
    jobs.wait_until(first, "running", LIFE)
    run, words = jobs.start("attach", first)
    urgent = {"kueue.x-k8s.io/priority-class": f"{jobs.namespace.name}-urgent"}
    second = jobs.submit('until [ -e /tmp/go ]; do sleep 0.1; done', name="second", kubernetes=kubernetes(labels=urgent))
    jobs.wait_until(second, "running", LIFE)
    jobs.namespace.wait_for("the first to wait again", lambda: "the queue `team`" in waits(jobs, first), LIFE)
    assert jobs.pods(first) == {}
    jobs.says("the queue `team`", words)
    jobs.let_go(second)
    jobs.wait_until(second, "succeeded", LIFE)
    jobs.wait_until(first, "running", LIFE)
    (folder / "go").touch()
    assert run.wait(LIFE) == 0, words()
    assert "rank 0 began 2 times" in words() and "rank 1 began 2 times" in words(), words()
