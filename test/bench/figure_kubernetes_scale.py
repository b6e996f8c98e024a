# SPDX-License-Identifier: Apache-2.0
"""kubernetes_scale: jobs of 1,000 pods on simulated nodes (KWOK): API requests for one job, compared with a TrainJob."""

import os
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import pod_requests
from pod_sides import Muster, TrainJob
from pods import Place
from sides import Failed, median
from table import Row, Table, duration, rate

from cluster import Cluster, Namespace

PODS = NODES = 1000
PATIENCE = 300  # seconds for all pods to be created, and to be deleted
ROUNDS = 1


@contextmanager
def place_in(here):
    """Its pods run nothing: the programs are never used."""
    if os.geteuid() != 0:
        raise Failed("a cluster is network namespaces, which only root makes")
    os.environ["MUSTER_BINARY"] = str(here.muster)
    cluster = Cluster(2, NODES, ["trainer"], {"K8S_AUDIT": "yes", "K8S_LASTING": "yes", "K8S_NODE_GRACE": "3600"})
    try:
        with tempfile.TemporaryDirectory(prefix="muster-bench-") as folder:
            reports = Path(folder) / "reports"
            reports.mkdir()
            yield Place(Namespace(cluster, "bench", Path(folder)), reports, [], PODS)
    finally:
        cluster.end()


def all_run(side):
    """Lists only pods that do not run yet: a list of a thousand pods takes the API server a second."""
    made = pod_requests.watch(side.place.namespace, "get", "job", f"{side.name}-{side.group}-0", "--ignore-not-found", "-o", "jsonpath={.status.active}")
    return made == str(side.place.pods) and pod_requests.watch(side.place.namespace, "get", "pods", "--field-selector=status.phase!=Running", "-o", "name") == ""


def life(side):
    """Seconds and requests of its start, of a status query and of its deletion."""
    namespace = side.place.namespace
    side.prepare()
    with told(namespace) as made:
        side.submit()
        side.place.wait_for(f"{side.place.pods} pods to run", lambda: all_run(side), PATIENCE)
    with told(namespace) as looked:
        look(side)
    with told(namespace) as gone:
        side.place.namespace.kubectl("delete", side.kind, side.name, "--wait=false")  # no process runs in a simulated pod that could be told
        side.place.wait_for("no pod to be left", lambda: pod_requests.watch(namespace, "get", "pods", "-o", "name") == "", PATIENCE)
    return {"made": made, "looked": looked, "gone": gone}


@contextmanager
def told(namespace):
    """Seconds and requests. Requests of the node simulator differ from a kubelet's and are not counted."""
    found = {}
    count, began = pod_requests.Count(namespace, PATIENCE, "kwok"), time.monotonic()
    yield found
    found["seconds"] = time.monotonic() - began
    found["requests"] = count.total()


def look(side):
    """The status query that a user of each would make."""
    if side.kind != "jobset":
        side.place.namespace.kubectl("get", "trainjobs")
    elif (done := side.place.namespace.muster("ps", "--backend", "kubernetes", timeout=PATIENCE)).returncode != 0:
        raise Failed(f"ps: {done.stderr}")


def rows(ours, theirs):
    parts = {"made": (f"submit → {PODS:,} pods run, against a TrainJob", 1.0), "looked": ("ps, against kubectl get trainjobs", None),
             "gone": ("deleted → nothing is left", 1.0)}
    for part, (name, target) in parts.items():
        took = [median([life[part]["seconds"] for life in side]) for side in (ours, theirs)]
        asked = [median([sum(life[part]["requests"].values()) for life in side]) for side in (ours, theirs)]
        yield Row(name, *took, duration, None, True)
        yield Row("  requests of the API server for that", *asked, rate("requests"), target, True)


def of_clusters(here, say):
    """A new cluster for each job: a thousand nodes start quickly, and leftovers of one job cannot affect the next."""
    ours, theirs = [], []
    for number in range(here.rounds or ROUNDS):
        for name, kind, lives in (("ours", Muster, ours), ("a TrainJob", TrainJob, theirs)):
            say(f"round {number + 1}: {name}")
            with place_in(here) as place:
                lives.append(life(kind(place, ["true"])))
    lines = []
    for part, title in (("made", "until all run"), ("looked", "of a look"), ("gone", "of the end")):
        lines += [f"  {title}:", *pod_requests.table(ours[-1][part]["requests"], theirs[-1][part]["requests"])]
    return [*rows(ours, theirs)], lines


def measure(here, say):
    found, lines = of_clusters(here, say)
    return Table(f"kubernetes_scale: {PODS:,} pods on {NODES:,} simulated nodes", found, ("\n".join(lines),))
