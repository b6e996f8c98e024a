# SPDX-License-Identifier: Apache-2.0
"""A cluster for figures. Ranks write reports into a folder of this machine that all pods mount: nodes are namespaces with one clock."""

import os
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

from sides import Failed, read_report

TESTS = Path(__file__).parents[1]
sys.path += [str(TESTS / "cluster"), str(TESTS / "e2e")]
from cluster import BASE_IMAGE, Cluster, Namespace  # noqa: E402
from images import build_muster_image  # noqa: E402
from waiting import wait_for  # noqa: E402

PODS = 4
REQUESTS = {"requests": {"cpu": "500m"}}  # without it, pods get 1/500 of the CPU share of a process outside the cluster
FIRST, AGAIN = 180, 120  # seconds for a gang's first meeting, and for the next; generous for a busy machine
SYSTEM = ("/usr", "/lib", "/lib64")
VARIABLES = {"OMP_NUM_THREADS": "1", "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1", "PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"}


class Place:
    """A namespace, and the folders that its pods share with this machine."""

    def __init__(self, namespace, reports, folders, pods=PODS):
        self.pods = pods
        self.namespace, self.reports, self.folders = namespace, reports, [*map(str, folders), str(reports)]
        self.number = 0

    def next_name(self, kind):
        self.number += 1
        for path in self.reports.iterdir():
            path.unlink()
        return f"{kind}{self.number}"

    def container(self, words):
        mounts = [{"name": f"v{at}", "mountPath": path} for at, path in enumerate(self.folders)]
        variables = [{"name": name, "value": value} for name, value in VARIABLES.items()]
        return {"name": "node", "image": BASE_IMAGE, "command": words, "env": variables, "volumeMounts": mounts, "resources": REQUESTS}

    def volumes(self):
        return [{"name": f"v{at}", "hostPath": {"path": path}} for at, path in enumerate(self.folders)]

    def jobset_spec(self, words, labels=None):
        """All its pods are created again when one of them has failed."""
        pod = {"spec": {"restartPolicy": "Never", "terminationGracePeriodSeconds": 1, "containers": [self.container(words)], "volumes": self.volumes()}}
        job = {"spec": {"parallelism": self.pods, "completions": self.pods, "completionMode": "Indexed", "backoffLimit": 0, "template": pod}}
        return {"failurePolicy": {"maxRestarts": 99}, "network": {"enableDNSHostnames": True, "publishNotReadyAddresses": True},
                "replicatedJobs": [{"name": "node", "replicas": 1, "template": job | {"metadata": {"labels": labels or {}}}}]}

    def wait_for(self, what, condition, seconds):
        try:
            return wait_for(condition, what, seconds)
        except AssertionError as error:
            raise Failed(f"{error}\n{self.namespace.picture()}") from error

    def passed_after(self, since):
        """The report of each rank that met the others after that time; none until all have."""
        found = {}
        for path in self.reports.iterdir():
            if path.suffix != ".new" and (report := read_report(path)).passed > since:
                found[path.name.rpartition("-")[2]] = report
        return found if len(found) == self.pods else None

    def next_meeting(self, since, seconds=AGAIN):
        """Seconds from that time until the ranks met, and their reports."""
        found = self.wait_for("the gang to meet", lambda: self.passed_after(since), seconds)
        return (max(report.passed for report in found.values()) - since) / 1e9, found


@contextmanager
def cluster_of(here):
    if os.geteuid() != 0:
        raise Failed("a cluster is network namespaces, which only root makes")
    os.environ["MUSTER_BINARY"] = str(here.muster)
    try:
        cluster = Cluster(3, 2, ["trainer"], {"K8S_AUDIT": "yes"})
    except AssertionError as error:
        raise Failed(f"{error}; scripts/bench kubernetes builds its programs") from error
    try:
        with tempfile.TemporaryDirectory(prefix="muster-bench-") as folder:
            build_muster_image(Path(folder) / "muster.tar")
            cluster.load_image(Path(folder) / "muster.tar")
        yield cluster
    finally:
        cluster.end()


@contextmanager
def place_in(cluster, name, here):
    """Ends with everything in it."""
    folders = [*SYSTEM, here.programs, Path(__file__).parent]
    if here.torch:
        folders += [Path(here.torch).parents[1], Path(here.torch).resolve().parents[1]]
    with tempfile.TemporaryDirectory(prefix="muster-bench-") as folder:
        reports = Path(folder) / "reports"
        reports.mkdir(mode=0o777)
        namespace = Namespace(cluster, name, Path(folder))
        try:
            yield Place(namespace, reports, folders)
        finally:
            cluster.kubectl("delete", "namespace", name, "--timeout=120s", check=False)
