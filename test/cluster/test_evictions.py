# SPDX-License-Identifier: Apache-2.0
"""Pods that the cluster takes from a job by eviction or drain. Their ranks get their grace, and it uses up no restart."""

import json

import pytest

from test_faults import ON_BOTH, node_without_coordinator

TIER = 3
LIFE = 120  # seconds
# Saving takes a moment when it is told to end; the second time it is released.
SAVES = (
    'trap "sleep 2; echo saved $MUSTER_RANK; exit 0" TERM; echo "rank $MUSTER_RANK begins $MUSTER_ATTEMPT"; '
    "while [ ! -e /tmp/go ]; do sleep 0.1; done; echo went $MUSTER_RANK"
)


def evict(jobs, pod):
    wanted = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": pod, "namespace": jobs.namespace.name}}
    jobs.namespace.kubectl("create", "--raw", f"/api/v1/namespaces/{jobs.namespace.name}/pods/{pod}/eviction", "-f", "-", input=json.dumps(wanted))


def runs_again(jobs, name):
    """Runs again although the job allows no restarts."""
    jobs.namespace.wait_for("attempt 2", lambda: jobs.job(name).get("attempt") == 2, LIFE)
    jobs.wait_until(name, "running", LIFE)


def test_an_evicted_pod_gives_its_ranks_time_and_costs_no_restart(jobs):
    name = jobs.submit(SAVES)
    jobs.wait_until(name, "running", LIFE)
    first, second = jobs.pods(name)
    evict(jobs, second)
    runs_again(jobs, name)
    told = jobs.muster("events", name).stdout
    assert "its pod is being terminated" in told, told
    assert "saved 1" in jobs.muster("logs", name, "--attempt", "1").stdout
    assert second not in jobs.pods(name) and first in jobs.pods(name)
    jobs.let_go(name)
    jobs.wait_until(name, "succeeded", LIFE)
    jobs.rm(name)


@pytest.mark.parametrize("of_coordinator", [False, True])
def test_a_drained_node_is_left_in_order(cluster, jobs, of_coordinator):
    name = jobs.submit(SAVES, kubernetes=ON_BOTH)
    jobs.wait_until(name, "running", LIFE)
    number = 1 - node_without_coordinator(jobs, name) if of_coordinator else node_without_coordinator(jobs, name)
    node = f"node-{number}"
    try:
        cluster.kubectl("drain", node, "--ignore-daemonsets", "--delete-emptydir-data", "--force", "--timeout=60s")
        runs_again(jobs, name)
        assert jobs.nodes_of(name, "worker") == {f"node-{1 - number}"}
        told = jobs.muster("events", name).stdout
        # If the coordinator ends as well, no process can report it.
        assert of_coordinator or "its pod is being terminated" in told, told
        jobs.let_go(name)
        jobs.wait_until(name, "succeeded", LIFE)
    finally:
        cluster.kubectl("uncordon", node)
    jobs.rm(name)
