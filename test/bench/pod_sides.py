# SPDX-License-Identifier: Apache-2.0
"""The same program on a cluster as a muster job, as Kubeflow's TrainJob and as a plain JobSet."""

import json
import os
import time
from contextlib import contextmanager
from pathlib import Path

from pods import AGAIN, BASE_IMAGE, FIRST, REQUESTS, VARIABLES
from sides import Failed

# Sets the ranks' variables in pods of a TrainJob or JobSet without torchrun, where nothing else does.
PLAIN = 'export RANK=$JOB_COMPLETION_INDEX WORLD_SIZE=%d MASTER_ADDR=%s-node-0-0.%s; exec "$@"'
# c10d in its best mode: the first node is marked as such, and agents notice each other's restarts.
TORCHRUN = ('case $JOB_COMPLETION_INDEX in 0) host=1 ;; *) host=0 ;; esac; unset PET_MASTER_ADDR PET_MASTER_PORT PET_NODE_RANK PET_NNODES PET_NPROC_PER_NODE; '
            'exec "$0" -m torch.distributed.run --nnodes %d --nproc-per-node 1 --max-restarts %d --rdzv-backend c10d --rdzv-id bench '
            '--rdzv-endpoint %s-node-0-0.%s:29400 --rdzv-conf is_host=$host "$@"')


class Muster:
    """One rank in each pod; restarted at once, like the others."""
    kind, ended, group = "jobset", "Completed", "worker"

    def __init__(self, place, words):
        self.place, self.words, self.name = place, words, ""

    def file(self):
        volumes = [{"name": f"v{at}", "mount": path, "host_path": path} for at, path in enumerate(self.place.folders)]
        pods = {"name": "worker", "template": {"spec": {"template": {"spec": {"containers": [{"name": "agent", "resources": REQUESTS}]}}}}}
        job = {"name": self.place.next_name("ours"), "nodes": self.place.pods, "workdir": "/", "framework": "torch", "command": self.words, "env": VARIABLES,
               "restarts": {"limit": 99, "backoff": {"first": "0s", "then": "1ms..1ms"}},
               "kubernetes": {"image": BASE_IMAGE, "volumes": volumes, "patch": {"spec": {"replicatedJobs": [pods]}}}}
        path = self.place.namespace.folder / "job.yaml"
        path.write_text(json.dumps(job))
        return path

    def prepare(self):
        self.path = self.file()

    def submit(self):
        done = self.place.namespace.muster("submit", "-q", "--backend", "kubernetes", self.path)
        if done.returncode != 0:
            raise Failed(f"submit: {done.stderr}")
        self.name = done.stdout.strip()


class Rival:
    """A manifest that kubectl creates without fetching the schema first, like the SDK."""
    group = "node"

    def __init__(self, place, words, around="plain"):
        self.place, self.words, self.around, self.name = place, words, around, ""

    def around_words(self):
        if self.around == "plain":
            return ["sh", "-c", PLAIN % (self.place.pods, self.name, self.name), "sh", *self.words]
        python, *program = self.words
        return ["sh", "-c", TORCHRUN % (self.place.pods, 99 if "restarts" in self.around else 0, self.name, self.name), python,
                *(["--no-python"] if "no-python" in self.around else []), *program]

    def prepare(self):
        self.name = self.place.next_name("theirs")
        self.manifest = json.dumps(self.object([str(word) for word in self.around_words()]))

    def submit(self):
        self.place.namespace.kubectl("create", "--validate=false", "-f", "-", input=self.manifest)


class TrainJob(Rival):
    """The TrainingRuntime exists before, as if made by an administrator."""
    kind, ended = "trainjob", "Complete"

    def object(self, words):
        template = {"spec": self.place.jobset_spec(["true"], {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"})}
        runtime = {"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainingRuntime", "metadata": {"name": self.name},
                   "spec": {"mlPolicy": {"numNodes": self.place.pods, "torch": {}}, "template": template}}
        self.place.namespace.kubectl("create", "--validate=false", "-f", "-", input=json.dumps(runtime))
        return {"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob", "metadata": {"name": self.name},
                "spec": {"runtimeRef": {"name": self.name, "kind": "TrainingRuntime"}, "trainer": {"numNodes": self.place.pods, "command": words}}}


class JobSet(Rival):
    kind, ended = "jobset", "Completed"

    def object(self, words):
        return {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": self.name}, "spec": self.place.jobset_spec(words)}


def pod_of(side, number):
    """The running pod with that index."""
    labels = f"jobset.sigs.k8s.io/jobset-name={side.name},jobset.sigs.k8s.io/replicatedjob-name={side.group},batch.kubernetes.io/job-completion-index={number}"
    pods = side.place.namespace.items("pods", "-l", labels)
    return next(pod["metadata"]["name"] for pod in pods if "deletionTimestamp" not in pod["metadata"] and pod["status"]["phase"] == "Running")


def remove(side):
    """Removes it with all its pods, so that the next side has the machine alone."""
    namespace = side.place.namespace
    if side.name:
        namespace.kubectl("delete", side.kind, side.name, "--wait=false", "--ignore-not-found")
        namespace.kubectl("delete", "pods", "--all", "--grace-period=1", "--wait=false")
        side.place.wait_for("no pod to be left", lambda: namespace.names("pods") == [], AGAIN)


@contextmanager
def gang(side):
    """Seconds from the command until its ranks have met, and their reports."""
    side.prepare()
    began = time.monotonic_ns()
    try:
        side.submit()
        yield side.place.next_meeting(began, FIRST)
    finally:
        remove(side)


def pid_of(report):
    """The pid on this machine of the process that wrote the report."""
    (place,), (pid,) = report.calls["place"], report.calls["pid"]
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if os.stat(folder / "ns/pid").st_ino == place and f"\t{pid}\n" in next(
                    line + "\n" for line in (folder / "status").read_text().splitlines() if line.startswith("NSpid:")):
                return int(folder.name)
        except (OSError, StopIteration):
            continue
    raise Failed("a rank that had met the others was gone")


