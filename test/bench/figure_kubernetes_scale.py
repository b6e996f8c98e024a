"""kubernetes_scale: jobs of 1,000 pods where nodes are simulated (KWOK): what a cluster is asked for one, beside a TrainJob."""

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
PATIENCE = 600  # seconds for a thousand pods to come, or to go
ROUNDS = 1


@contextmanager
def place_in(here):
    """Pods of it run nothing: their programs are never asked for."""
    if os.geteuid() != 0:
        raise Failed("a cluster is network namespaces, which only root makes")
    os.environ["MUSTER_BINARY"] = str(here.muster)
    cluster = Cluster(2, NODES, ["trainer"], {"K8S_AUDIT": "yes", "K8S_LASTING": "yes"})
    try:
        with tempfile.TemporaryDirectory(prefix="muster-bench-") as folder:
            reports = Path(folder) / "reports"
            reports.mkdir()
            yield Place(Namespace(cluster, "bench", Path(folder)), reports, [], PODS)
    finally:
        cluster.end()


def running(side):
    words = ("get", "pods", "--field-selector=status.phase=Running", "-o", "name")
    return pod_requests.watch(side.place.namespace, *words).count(f"{side.name}-{side.group}-")


def life(side):
    """Seconds from the command until all run, and requests until then; the same of its deletion, until nothing is left."""
    namespace = side.place.namespace
    side.prepare()
    count, began = pod_requests.Count(namespace), time.monotonic()
    side.submit()
    side.place.wait_for(f"{PODS} pods to run", lambda: running(side) == PODS, PATIENCE)
    came, made = time.monotonic() - began, count.total()
    looked = [timed(side, command) for command in ("ps",)] if side.kind == "jobset" else []
    count, began = pod_requests.Count(namespace), time.monotonic()
    pod_requests.watch(namespace, "delete", side.kind, side.name, "--cascade=foreground", f"--timeout={PATIENCE}s")
    side.place.wait_for("no pod to be left", lambda: namespace.names("pods") == [], PATIENCE)
    return came, made, time.monotonic() - began, count.total(), looked


def timed(side, command):
    began = time.monotonic()
    done = side.place.namespace.muster(command, "--backend", "kubernetes", *([side.name] if command == "describe" else []))
    if done.returncode != 0:
        raise Failed(f"{command}: {done.stderr}")
    return time.monotonic() - began


def rows(ours, theirs):
    def of(at, side):
        return [each[at] for each in side]

    def asked(at, side):
        return median([sum(each.values()) for each in of(at, side)])
    requests = rate("requests")
    yield Row(f"submit → {PODS:,} pods run, against a TrainJob", median(of(0, ours)), median(of(0, theirs)), duration, 1.0, True)
    yield Row("requests of the API server until then", asked(1, ours), asked(1, theirs), requests, 1.0, True)
    yield Row("delete → nothing is left", median(of(2, ours)), median(of(2, theirs)), duration, 1.0, True)
    yield Row("requests of the API server for that", asked(3, ours), asked(3, theirs), requests, 1.0, True)
    yield Row("ps", median([each[0] for each in of(4, ours)]), None, duration, None, True, "itself")


def measure(here, say):
    ours, theirs = [], []
    with place_in(here) as place:
        for number in range(here.rounds or ROUNDS):
            say(f"round {number + 1}: ours")
            ours.append(life(Muster(place, ["true"])))
            say(f"round {number + 1}: a TrainJob")
            theirs.append(life(TrainJob(place, ["true"])))
    lines = [*pod_requests.table(ours[-1][1], theirs[-1][1]), "and of the deletion", *pod_requests.table(ours[-1][3], theirs[-1][3])]
    return Table(f"kubernetes_scale: {PODS:,} pods on {NODES:,} simulated nodes", [*rows(ours, theirs)], ("\n".join(lines),))
