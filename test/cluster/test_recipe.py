# SPDX-License-Identifier: Apache-2.0
"""The cluster of tier 3: nodes with real containers; what a node, a whole cluster and its tests leave when they end."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from cluster import HERE, Cluster, wait_for
from manifests import NAME, jobset

TIER = 3
MEET = """
if [ "$JOB_COMPLETION_INDEX" = 0 ]; then echo "hello from rank 0" | nc -l -p 7000; exit; fi
until nc -w 5 train-node-0-0.train 7000 </dev/null | grep hello; do sleep 0.1; done
"""


def test_pods_on_two_nodes_meet_by_their_names(namespace):
    namespace.apply(jobset("train", MEET, pods=2))
    namespace.wait_for("the JobSet to complete", lambda: namespace.condition("jobset", "train", "Completed"))
    assert "hello from rank 0" in namespace.kubectl("logs", "-l", "batch.kubernetes.io/job-completion-index=1")


def test_nothing_is_left_of_a_deleted_jobset(namespace):
    namespace.apply(jobset("train", "sleep 1000", pods=2))
    namespace.wait_for("both pods to run", lambda: running(namespace) == 2)
    namespace.kubectl("delete", "jobset", "train")
    namespace.wait_for("all to be gone", lambda: not namespace.names("jobs,pods,services", "-l", f"{NAME}=train"))


def running(namespace):
    return sum(pod["status"]["phase"] == "Running" for pod in namespace.items("pods"))


def test_a_node_loses_power_and_boots_again(cluster, namespace):
    cluster.node("kill", 1)
    wait_for(lambda: not cluster.is_ready(1), "the API server to miss the node", 60)
    cluster.node("start", 1)
    wait_for(lambda: cluster.is_ready(1), "the node to be back", 60)
    namespace.apply(jobset("train", MEET, pods=2))
    namespace.wait_for("the JobSet to complete", lambda: namespace.condition("jobset", "train", "Completed"))


def left_of(folder):
    """Processes with the folder in their command line, the folder itself, and cgroups named after it."""
    lines = subprocess.check_output(["ps", "-eo", "args", "--no-headers"], text=True).splitlines()
    groups = [group for root in Path("/sys/fs/cgroup").glob("*/") for group in (root / folder.name, root.parent / folder.name) if group.exists()]
    return [line for line in lines if str(folder) in line] + [path for path in (folder, *groups) if path.exists()]


def test_nothing_is_left_of_a_cluster():
    cluster = Cluster(3)
    assert left_of(cluster.folder)
    cluster.end()
    assert left_of(cluster.folder) == []


def test_nothing_is_left_when_its_tests_are_killed():
    script = "from cluster import Cluster; print(Cluster(3).folder, flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", script], cwd=HERE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as tests:
        folder = Path(tests.stdout.readline().strip())
        tests.kill()
    wait_for(lambda: left_of(folder) == [], lambda: f"all to be gone: {left_of(folder)}", 60)


def test_the_next_one_removes_what_a_dead_one_left():
    cluster = Cluster(3)
    os.kill(cluster.process.pid, signal.SIGKILL)
    cluster.process.wait()
    wait_for(lambda: not [each for each in left_of(cluster.folder) if isinstance(each, str)], "its processes to end", 60)
    assert cluster.folder.exists()

    def swept():
        subprocess.run([HERE / "down", "--dead"], check=True)
        return left_of(cluster.folder) == []
    wait_for(swept, lambda: f"all to be gone: {left_of(cluster.folder)}", 60)  # the process that held the lock may end a moment later


def test_an_up_that_fails_leaves_nothing(tmp_path):
    variables = {**os.environ, "TMPDIR": str(tmp_path), "JOBSET_GATES": "NoSuchGate: true"}
    done = subprocess.run([HERE / "up", "1"], env=variables, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "NoSuchGate" in done.stderr  # as the controller prints it
    assert list(tmp_path.iterdir()) == []
