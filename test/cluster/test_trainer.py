# SPDX-License-Identifier: Apache-2.0
"""The same TrainJobs through Kubeflow Trainer's real controller and through muster: JobSets, pods and variables are compared field by
field, and each difference is in a table of docs/reference/kubeflow-trainer.md."""

import functools
import json

import pytest

from differences import Tables
from images import Archive, build_image, put_mpi
from trainer import SHOW, runtime, through_muster, through_trainer, train_job

TIER = 3
EXTRAS = ("trainer",)
TORCH = {"name": "torch-distributed"}
STAND_IN = "localhost/stand-in-mpirun:1"  # busybox with an MPI library, and a stand-in for mpirun that runs its program once
PATCH = {"manager": "example.org/team", "trainingRuntimeSpec": {"template": {
    "metadata": {"labels": {"of": "set"}, "annotations": {"note": "set"}},
    "spec": {"replicatedJobs": [{"name": "node", "template": {
        "metadata": {"labels": {"of": "job"}},
        "spec": {"template": {"metadata": {"labels": {"of": "pod"}, "annotations": {"note": "pod"}}, "spec": {
            "nodeSelector": {"kubernetes.io/os": "linux"}, "tolerations": [{"key": "example.org/own", "operator": "Exists"}],
            "terminationGracePeriodSeconds": 40, "securityContext": {"fsGroup": 1000},
            "volumes": [{"name": "scratch", "emptyDir": {}}],
            "containers": [{"name": "node", "volumeMounts": [{"name": "scratch", "mountPath": "/scratch"}]}]}}}}}]}}}}
LAUNCHER = {"name": "launcher", "dependsOn": [{"name": "node", "status": "Ready"}],
            "template": {"metadata": {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}},
                         "spec": {"template": {"spec": {"containers": [{"name": "node", "image": STAND_IN}]}}}}}
WORKERS = {"name": "node", "template": {"spec": {"template": {"spec": {
    "containers": [{"name": "node", "image": STAND_IN, "command": ["sleep", "1000"]}]}}}}}


def mpi_runtime():
    made = runtime("mpi", {"mpi": {"runLauncherAsNode": True, "mpiImplementation": "OpenMPI"}}, [WORKERS, LAUNCHER])
    made["spec"]["template"]["spec"]["successPolicy"] = {"operator": "All", "targetReplicatedJobs": ["launcher"]}
    return made


# The objects of each job, the TrainJob last.
JOBS = {
    "torch": [train_job("same-torch", TORCH, {"numNodes": 2, "numProcPerNode": 2, "env": [{"name": "EPOCHS", "value": "3"}],
                                              "resourcesPerNode": {"limits": {"cpu": "200m", "memory": "128Mi"}}})],
    "plain": [runtime("plain", {"numNodes": 2}), train_job("same-plain", "plain", {}, activeDeadlineSeconds=600)],
    "patched": [train_job("same-patched", TORCH, {"numProcPerNode": 1}, runtimePatches=[PATCH])],
    "jax": [train_job("same-jax", {"name": "jax-distributed"}, {"numNodes": 2})],
    "mpi": [mpi_runtime(), train_job("same-mpi", "mpi", {"image": STAND_IN, "numNodes": 2, "command": ["mpirun", "sh", "-c", SHOW]})],
}


@pytest.fixture
def stand_in_image(cluster, tmp_path):
    root = tmp_path / "stand-in"
    put_mpi(root, ())
    Archive(cluster.folder / "programs" / "base.tar").layer().extractall(root, filter="fully_trusted")
    program = root / "bin" / "mpirun"
    program.write_text("#!/bin/sh\n# A stand-in for mpirun: runs the program once.\nexec \"$@\"\n")
    program.chmod(0o755)
    build_image(STAND_IN, root, tmp_path / "stand-in.tar")
    cluster.load_image(tmp_path / "stand-in.tar")


@functools.cache
def tables():
    return Tables()


@pytest.mark.parametrize("name", JOBS)
def test_each_difference_from_trainer_is_explained(cluster, muster_image, stand_in_image, name, tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    theirs = through_trainer(cluster, tmp_path / "a", JOBS[name])
    ours = through_muster(cluster, tmp_path / "b", JOBS[name])
    left = tables().unexplained("Objects", theirs.objects, ours.objects)
    left += tables().unexplained("JobSet", theirs.job_set, ours.job_set)
    assert theirs.pods.keys() == ours.pods.keys()
    for node in theirs.pods:
        left += tables().unexplained("Pods", theirs.pods[node], ours.pods[node])
    assert theirs.variables.keys() == ours.variables.keys() != set()
    for node in theirs.variables:
        left += tables().unexplained("Variables", theirs.variables[node], ours.variables[node])
    assert not left, "not in the tables of docs/reference/kubeflow-trainer.md:\n" + "\n".join(dict.fromkeys(left))


def test_each_row_of_the_tables_is_a_difference():
    assert tables().unused() == []


def test_fields_of_older_versions_are_refused_by_both(namespace):
    job = train_job("old", TORCH, {}, podTemplateOverrides=[{"targetJobs": [{"name": "node"}], "spec": {"nodeSelector": {"a": "b"}}}])
    theirs = namespace.kubectl("apply", "-f", "-", input=json.dumps(job), check=False)
    assert theirs.returncode != 0 and 'unknown field "spec.podTemplateOverrides"' in theirs.stderr, theirs.stderr
    (namespace.folder / "old.yaml").write_text(json.dumps(job))
    ours = namespace.muster("run", "--backend", "kubernetes", "old.yaml")
    assert ours.returncode == 2 and "does not support `spec.podTemplateOverrides`" in ours.stderr and "use runtimePatches" in ours.stderr, ours.stderr
