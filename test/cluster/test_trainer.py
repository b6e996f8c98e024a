# SPDX-License-Identifier: Apache-2.0
"""The same TrainJobs through Kubeflow Trainer's real controller and through muster: JobSets, pods and variables are compared field by
field, and each difference is in a table of docs/reference/kubeflow-trainer.md."""

import json

from differences import Tables
from images import Archive, build_image, put_mpi
from trainer import SHOW, runtime, through_muster, through_trainer, train_job

TIER = 3
EXTRAS = ("trainer",)
TORCH = {"name": "torch-distributed"}
STAND_IN = "localhost/stand-in-mpirun:1"  # busybox with an MPI library, and a stand-in for mpirun
MPIRUN = """#!/bin/sh
# A stand-in for mpirun: runs the program once, then waits for the test, which looks at the pods meanwhile.
"$@" || exit
until [ -e /tmp/go ]; do sleep 0.1; done
"""
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
    "containers": [{"name": "node", "image": STAND_IN, "command": ["sh", "-c", f"{SHOW}; exec sleep 1000"]}]}}}}}


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


def load_stand_in(cluster, folder):
    root = folder / "stand-in"
    put_mpi(root, ())
    Archive(cluster.folder / "programs" / "base.tar").layer().extractall(root)
    program = root / "bin" / "mpirun"
    program.write_text(MPIRUN)
    program.chmod(0o755)
    build_image(STAND_IN, root, folder / "stand-in.tar")
    cluster.load_image(folder / "stand-in.tar")


def unexplained(tables, theirs, ours):
    left = tables.unexplained("Objects", theirs.objects, ours.objects) + tables.unexplained("JobSet", theirs.job_set, ours.job_set)
    assert len(theirs.pods) == len(ours.pods) != 0
    for pods in zip(theirs.pods, ours.pods):
        left += tables.unexplained("Pods", *pods)
    for variables in zip(theirs.variables, ours.variables):
        left += tables.unexplained("Variables", *variables)
    return list(dict.fromkeys(left))


# One test, because a row may be about any of the jobs.
def test_the_tables_have_exactly_the_differences_from_trainer(cluster, muster_image, tmp_path):
    tables, left = Tables(), []
    for name, objects in JOBS.items():
        folders = [tmp_path / f"{name}-{which}" for which in ("trainer", "muster")]
        for folder in folders:
            folder.mkdir()
        if name == "mpi":
            load_stand_in(cluster, tmp_path)
        theirs = through_trainer(cluster, folders[0], objects, launcher=name == "mpi")
        left += [f"{name}: {row}" for row in unexplained(tables, theirs, through_muster(cluster, folders[1], objects))]
    assert not left, "not in the tables of docs/reference/kubeflow-trainer.md:\n" + "\n".join(left)
    assert tables.unused() == [], "no difference any more"


def test_fields_of_older_versions_are_refused_by_both(namespace):
    job = train_job("old", TORCH, {}, podTemplateOverrides=[{"targetJobs": [{"name": "node"}], "spec": {"nodeSelector": {"a": "b"}}}])
    theirs = namespace.kubectl("apply", "-f", "-", input=json.dumps(job), check=False)
    assert theirs.returncode != 0 and 'unknown field "spec.podTemplateOverrides"' in theirs.stderr, theirs.stderr
    (namespace.folder / "old.yaml").write_text(json.dumps(job))
    ours = namespace.muster("run", "--backend", "kubernetes", "old.yaml")
    assert ours.returncode == 2 and "does not support `spec.podTemplateOverrides`" in ours.stderr and "use runtimePatches" in ours.stderr, ours.stderr
