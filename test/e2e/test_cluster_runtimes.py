# SPDX-License-Identifier: Apache-2.0
"""--cluster-runtimes: TrainJobs with runtimes of a cluster, behind a stand-in for kubectl (docs/guide/kubeflow.md)."""

import json

import pytest

from stand_in_cluster import Cluster

RUNTIME = """
apiVersion: trainer.kubeflow.org/v1alpha1
kind: {kind}
metadata: {{name: {name}, uid: "1", resourceVersion: "7"}}
spec:
  mlPolicy: {{numNodes: 2, torch: {{}}}}
  template:
    spec:
      replicatedJobs:
        - name: node
          template:
            metadata: {{labels: {{trainer.kubeflow.org/trainjob-ancestor-step: trainer}}}}
            spec: {{template: {{spec: {{containers: [{{name: node, image: "registry.example/of-cluster:1", command: [python3, train.py]}}]}}}}}}
"""
TRAIN_JOB = """
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: mnist}
spec:
  runtimeRef: {name: torch-distributed}
"""
CLUSTER = ("--backend", "kubernetes", "--cluster-runtimes")


@pytest.fixture
def cluster(muster, tmp_path):
    found = Cluster(muster, tmp_path / "cluster")
    yield found
    found.pods.kill_all()


@pytest.fixture
def runtimes(cluster):
    folder = cluster.folder / "runtimes"
    folder.mkdir()
    (folder / "clustertrainingruntimes-torch-distributed.yaml").write_text(RUNTIME.format(kind="ClusterTrainingRuntime", name="torch-distributed"))
    (folder / "trainingruntimes-own.yaml").write_text(RUNTIME.format(kind="TrainingRuntime", name="own"))


def test_a_train_job_uses_the_runtime_of_the_cluster(muster, cluster, runtimes):
    muster.write("job.yaml", TRAIN_JOB)
    done = muster.ok("submit", *CLUSTER, "job.yaml")
    assert done.out == "mnist\n"
    text = json.dumps(cluster.object("jobset", "mnist"))
    assert "registry.example/of-cluster:1" in text and '"completions": 2' in text
    assert muster("submit", "--backend", "kubernetes", "--name", "other", "job.yaml").code == 2  # the built-in one has no command


def test_one_of_a_namespace_is_named_by_its_kind_and_sought_in_the_namespace_of_the_job(muster, cluster, runtimes):
    job = TRAIN_JOB.replace("{name: torch-distributed}", "{name: own, kind: TrainingRuntime}").replace("{name: mnist}", "{name: mnist, namespace: team}")
    muster.write("job.yaml", job)
    muster.ok("render", *CLUSTER, "job.yaml")
    assert cluster.calls() == [["--namespace=team", "get", "trainingruntimes.trainer.kubeflow.org/own", "-o", "yaml", "--ignore-not-found"]]
    muster.ok("render", *CLUSTER, "--context", "lab", "job.yaml")
    assert cluster.calls()[-1][:2] == ["--context=lab", "--namespace=team"]
    muster.ok("validate", *CLUSTER, "--context", "lab", "job.yaml")
    assert cluster.calls()[-1][:2] == ["--context=lab", "--namespace=team"]
    muster.ok("run", "--dry-run", *CLUSTER, "--context", "lab", "--namespace", "mine", "job.yaml")
    assert cluster.calls()[-1][:3] == ["--context=lab", "--namespace=mine", "get"]


@pytest.mark.parametrize("reference, said", [
    ("{name: torch-distribted}", "did you mean `torch-distributed`?"),
    ("{name: own}", "there is a TrainingRuntime of this name"),
    ("{name: jax-distributed}", "it has torch-distributed"),
])
def test_one_that_does_not_exist_is_reported_with_the_near_names(muster, cluster, runtimes, reference, said):
    muster.write("job.yaml", TRAIN_JOB.replace("{name: torch-distributed}", reference))
    done = muster("run", *CLUSTER, "job.yaml")
    assert done.code == 2 and "[E1805]" in done.err and "job.yaml:6:22" in done.err and said in done.err, done.err
    assert "nothing was started" in done.err


def test_a_name_is_reported_too_if_the_user_may_not_list(muster, cluster, runtimes):
    cluster.refuse(list_clustertrainingruntimes='Error from server (Forbidden): clustertrainingruntimes.trainer.kubeflow.org is forbidden: User "jane" '
                   'cannot list resource "clustertrainingruntimes" in API group "trainer.kubeflow.org" at the cluster scope')
    muster.write("job.yaml", TRAIN_JOB.replace("torch-distributed", "missing"))
    done = muster("run", *CLUSTER, "job.yaml")
    assert done.code == 2 and "the cluster has no ClusterTrainingRuntime `missing`" in done.err, done.err


def test_runtimes_lists_those_of_the_cluster(muster, cluster, runtimes):
    rows = [line.split() for line in muster.ok("runtimes", "--cluster-runtimes").out.splitlines()[1:]]
    assert rows == [["own", "namespace", "team", "–", "TrainingRuntime", "for", "torch"],
                    ["torch-distributed", "cluster", "–", "ClusterTrainingRuntime", "for", "torch"]]
    listed = json.loads(muster.ok("runtimes", "--cluster-runtimes", "-o", "json").out)["runtimes"]
    assert [each["from"] for each in listed] == ["namespace team", "cluster"]
    cluster.refuse(get_clustertrainingruntimes='Error from server (Forbidden): clustertrainingruntimes.trainer.kubeflow.org is forbidden: User "jane" '
                   'cannot list resource "clustertrainingruntimes" in API group "trainer.kubeflow.org" at the cluster scope')
    some = muster.ok("runtimes", "--cluster-runtimes", "-o", "name")
    assert some.out == "own\n" and "not all are listed: `jane` may not list" in some.err, some
    assert muster("runtimes", "--context", "lab").code == 2


def test_a_cluster_without_trainer_and_a_job_file_are_refused(muster, cluster):
    muster.write("job.yaml", TRAIN_JOB)
    done = muster("run", *CLUSTER, "job.yaml")
    assert done.code == 2 and "Kubeflow Trainer is not installed in the cluster" in done.err, done.err
    listed = muster("runtimes", "--cluster-runtimes")
    assert listed.code == 6 and "Kubeflow Trainer is not installed" in listed.err, listed
    muster.write("own.yaml", "command: ['true']\n")
    assert "--cluster-runtimes is for TrainJobs" in muster("run", *CLUSTER, "own.yaml").err


def test_a_job_on_this_machine_can_use_a_runtime_of_the_cluster(muster, cluster, runtimes):
    muster.write("train.py", "import os\nprint(os.environ['RANK'], os.environ['WORLD_SIZE'], flush=True)\n")
    muster.write("job.yaml", TRAIN_JOB)
    done = muster.ok("run", "-q", "--cluster-runtimes", "--context", "lab", "job.yaml")
    assert sorted(line.partition("] ")[2] for line in done.out.splitlines()) == ["0 2", "1 2"]
