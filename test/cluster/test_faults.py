# SPDX-License-Identifier: Apache-2.0
"""Faults under a job on a real cluster: its agent, a node, the control plane. Checks state, messages and leftovers."""

import pytest

from cluster import BASE_IMAGE
from jobs import LASTING

TIER = 3
LIFE = 120  # seconds
# On both nodes if possible, otherwise on one.
APART = {"template": {"spec": {"template": {"spec": {"affinity": {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
    {"weight": 100, "podAffinityTerm": {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"muster.dev/role": "agent"}}}}]}}}}}}}
ON_BOTH = {"image": BASE_IMAGE, "patch": {"spec": {"replicatedJobs": [{"name": "worker", **APART}]}}}


def number_of(node):
    return int(node.removeprefix("node-"))


def node_without_coordinator(jobs, name):
    (other,) = jobs.nodes_of(name, "worker") - jobs.nodes_of(name, "coordinator")
    return number_of(other)


def test_a_killed_agent_comes_again_in_its_pod(jobs):
    name = jobs.submit(LASTING, restarts={"limit": 1})
    jobs.wait_until(name, "running", LIFE)
    before = jobs.pods(name)
    # Not the first process of the container, which is the guardian.
    jobs.in_pod(list(before)[1], "kill -9 $(pidof muster | tr ' ' '\\n' | grep -vx 1)")
    jobs.namespace.wait_for("attempt 2", lambda: jobs.job(name).get("attempt") == 2, LIFE)
    jobs.wait_until(name, "running", LIFE)
    assert jobs.pods(name) == before
    assert "its agent ended, and its container was started again" in jobs.muster("events", name).stdout
    jobs.let_go(name)
    jobs.wait_until(name, "succeeded", LIFE)
    jobs.rm(name)


def test_a_node_that_freezes_and_is_gone_then_is_replaced(cluster, jobs):
    name = jobs.submit(LASTING, kubernetes=ON_BOTH)  # it has no restarts to use up
    jobs.wait_until(name, "running", LIFE)
    other = node_without_coordinator(jobs, name)
    try:
        cluster.node("freeze", other)
        jobs.namespace.wait_for("attempt 2", lambda: jobs.job(name).get("attempt") == 2, LIFE)
        jobs.wait_until(name, "running", LIFE)
        assert "no report for" in jobs.muster("events", name).stdout
        cluster.node("kill", other)
        jobs.let_go(name)
        jobs.wait_until(name, "succeeded", LIFE)
    finally:
        cluster.restart_node(other)
    jobs.rm(name)


@pytest.fixture
def ticking(jobs, tmp_path):
    """A job of two ranks that each append a line every second to a file on this machine, until they are released."""
    folder = tmp_path / "ticks"  # ranks are root, in the pods and on this machine
    folder.mkdir()
    script = 'echo "rank $MUSTER_RANK begins"; while [ ! -e /ticks/go ]; do echo tick >>/ticks/rank-$MUSTER_RANK; sleep 1; done; echo went $MUSTER_RANK'
    name = jobs.submit(script, kubernetes={"image": BASE_IMAGE, "volumes": [{"name": "ticks", "mount": "/ticks", "host_path": str(folder)}]})
    jobs.wait_until(name, "running", LIFE)
    yield name, folder


def ticks(folder, rank):
    path = folder / f"rank-{rank}"
    return len(path.read_text().splitlines()) if path.exists() else 0


def wait_for_ticks(jobs, folder, more):
    """Waits until both ranks have run for this many more seconds."""
    reached = [ticks(folder, rank) + more for rank in (0, 1)]
    jobs.namespace.wait_for(f"{more} ticks more", lambda: all(ticks(folder, rank) >= reached[rank] for rank in (0, 1)), more + LIFE)


@pytest.mark.parametrize("part", ["apiserver", "etcd"])
def test_ranks_go_on_while_the_api_is_away_and_their_viewer_comes_back(cluster, jobs, ticking, part):
    name, folder = ticking
    pods = jobs.pods(name)
    attach, words = jobs.start("attach", name)
    jobs.says("rank 1 begins", words)
    with cluster.without(part):
        if part == "apiserver":
            looked = jobs.muster("ps")
            assert looked.returncode == 3 and "API server does not answer" in looked.stderr, looked
            jobs.says("does not answer", words)
        wait_for_ticks(jobs, folder, 60 if part == "apiserver" else 10)
        assert attach.poll() is None, words()
    jobs.wait_until(name, "running", LIFE)
    if part == "apiserver":
        jobs.says("answers again after", words, LIFE)
    assert jobs.job(name)["attempt"] == 1 and jobs.pods(name) == pods
    (folder / "go").touch()
    assert attach.wait(LIFE) == 0, words()
    assert sorted(line for line in words().splitlines() if "] went" in line) == ["[0] went 0", "[1] went 1"], words()
    jobs.rm(name)
