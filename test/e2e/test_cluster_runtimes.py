# SPDX-License-Identifier: Apache-2.0
"""--cluster-runtimes: TrainJobs with runtimes of a cluster, behind a stand-in for kubectl (docs/guide/kubeflow.md)."""

import json

import pytest

from stand_in_cluster import Cluster
from train_jobs import train_job, training_runtime

TRAIN_JOB = train_job()
PYTORCH_JOB = """
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: mnist}
spec: {pytorchReplicaSpecs: {Master: {replicas: 1, template: {spec: {containers: [{name: pytorch, image: a, command: [echo, ran]}]}}}}}
"""
OWN = "{name: own, kind: TrainingRuntime}"
CLUSTER = ("--backend", "kubernetes", "--cluster-runtimes")
GET = "get_clustertrainingruntimes"
FORBIDDEN = ('Error from server (Forbidden): clustertrainingruntimes.trainer.kubeflow.org "torch-distributed" is forbidden: User "jane" '
             'cannot get resource "clustertrainingruntimes" in API group "trainer.kubeflow.org" at the cluster scope')


@pytest.fixture
def cluster(muster, tmp_path):
    found = Cluster(muster, tmp_path / "cluster")
    yield found
    found.pods.kill_all()


@pytest.fixture
def runtimes(cluster):
    folder = cluster.folder / "runtimes"
    folder.mkdir()
    for kind, name in (("ClusterTrainingRuntime", "torch-distributed"), ("TrainingRuntime", "own")):
        metadata = f'{{name: {name}, uid: "1", resourceVersion: "7"}}'
        text = training_runtime("[python3, train.py]", "registry.example/of-cluster:1", metadata, kind)
        (folder / f"{kind.lower()}s-{name}.yaml").write_text(text)


def test_a_train_job_uses_the_runtime_of_the_cluster(muster, cluster, runtimes):
    muster.write("job.yaml", TRAIN_JOB)
    done = muster.ok("submit", *CLUSTER, "job.yaml")
    assert done.out == "mnist\n"
    text = json.dumps(cluster.object("jobset", "mnist"))
    assert "registry.example/of-cluster:1" in text and '"completions": 2' in text
    assert muster("submit", "--backend", "kubernetes", "--name", "other", "job.yaml").code == 2  # the built-in one has no command


def test_one_of_a_namespace_is_named_by_its_kind_and_sought_in_the_namespace_of_the_job(muster, cluster, runtimes):
    muster.write("job.yaml", train_job("{name: mnist, namespace: team}", OWN))
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
    muster.write("job.yaml", train_job(runtime=reference))
    done = muster("run", *CLUSTER, "job.yaml")
    assert done.code == 2 and "[E1805]" in done.err and "job.yaml:5:22" in done.err and said in done.err, done.err
    assert "nothing was started" in done.err


def test_one_of_a_namespace_that_does_not_exist_is_reported_with_the_namespace(muster, cluster, runtimes):
    muster.write("job.yaml", train_job(runtime=OWN.replace("own", "missing")))
    done = muster("run", *CLUSTER, "--context", "lab", "--namespace", "team", "job.yaml")
    assert done.code == 2 and "the cluster has no TrainingRuntime `missing` in the namespace `team`" in done.err, done.err
    assert "muster runtimes --cluster-runtimes --context lab --namespace team lists all" in done.err
    assert "in the namespace of kubectl's context" in muster("run", *CLUSTER, "job.yaml").err


def test_a_name_is_reported_too_if_the_user_may_not_list(muster, cluster, runtimes):
    cluster.refuse(list_clustertrainingruntimes='Error from server (Forbidden): clustertrainingruntimes.trainer.kubeflow.org is forbidden: User "jane" '
                   'cannot list resource "clustertrainingruntimes" in API group "trainer.kubeflow.org" at the cluster scope')
    muster.write("job.yaml", train_job(runtime="{name: missing}"))
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


@pytest.mark.parametrize("said, exit_code, code, sentence, fix", [
    ("Unable to connect to the server: dial tcp 10.0.0.1:6443: i/o timeout", 3, "E1653", "API server does not answer", "kubectl cluster-info"),
    ("error: You must be logged in to the server (Unauthorized)", 4, "E1654", "rejects your credentials", "log in again"),
    (FORBIDDEN, 4, "E1655", "`jane` may not get clustertrainingruntimes", "ask your administrator for the verb `get`"),
    ('error: the server doesn\'t have a resource type "clustertrainingruntimes"', 6, "E1664", "Kubeflow Trainer is not installed", "muster runtimes --all"),
])
def test_a_cluster_that_cannot_be_asked_is_reported_by_its_cause(muster, cluster, runtimes, said, exit_code, code, sentence, fix):
    cluster.refuse(**{GET: said})
    muster.write("job.yaml", TRAIN_JOB)
    for command in ("run", "submit", "render", "validate"):
        done = muster(command, *CLUSTER, "job.yaml")
        assert done.code == exit_code and f"[{code}]" in done.err and "job.yaml:5:22" in done.err, done
        assert "cannot ask the cluster for the runtime `torch-distributed`" in done.err and sentence in done.err and fix in done.err, done.err
    done = muster("validate", *CLUSTER, "-o", "json", "job.yaml")
    (found,) = json.loads(done.out)["files"][0]["diagnostics"]
    assert (done.code, found["code"], found["line"]) == (exit_code, code, 5) and fix in found["help"], found
    assert json.loads(muster("run", *CLUSTER, "-o", "json", "job.yaml").out)["diagnostics"] == [found]
    assert code in muster.ok("explain", code).out


def test_a_kubectl_that_is_missing_is_reported_by_its_own_code(muster):
    muster.write("job.yaml", TRAIN_JOB)
    done = muster("run", *CLUSTER, "job.yaml", env={"PATH": "/nowhere"})
    assert done.code == 5 and "[E1651]" in done.err and "kubectl is not in PATH" in done.err and "install it" in done.err, done


def test_a_mistake_in_the_file_decides_the_exit_code(muster, cluster, runtimes):
    cluster.refuse(**{GET: FORBIDDEN})
    muster.write("job.yaml", TRAIN_JOB + "  trayner: {}\n")
    assert muster("validate", *CLUSTER, "job.yaml").code == 2
    muster.write("good.yaml", TRAIN_JOB)
    assert muster("validate", *CLUSTER, "job.yaml", "good.yaml").code == muster("validate", *CLUSTER, "good.yaml", "job.yaml").code == 2


def test_a_cluster_without_trainer_has_no_list(muster, cluster):
    listed = muster("runtimes", "--cluster-runtimes")
    assert listed.code == 6 and "Kubeflow Trainer is not installed" in listed.err and "muster explain E1664" in listed.err, listed


@pytest.mark.parametrize("text, what", [(PYTORCH_JOB, "of the kind PyTorchJob"), ("command: [echo, ran]\n", "not a manifest")])
def test_the_flag_is_noted_if_the_job_is_no_train_job(muster, cluster, text, what):
    note = f"--cluster-runtimes has no effect: only TrainJobs use runtimes of a cluster, and this job is {what}\n"
    muster.write("other.yaml", text)
    done = muster.ok("run", "--cluster-runtimes", "other.yaml")
    assert done.err.count(note) == 1 and "ran" in done.out, done
    name = muster.ok("submit", "-q", "--cluster-runtimes", "other.yaml", "--name", "second").out.strip()
    assert note in muster.ok("submit", "--cluster-runtimes", "other.yaml", "--name", "third").err
    assert muster.ok("render", "--cluster-runtimes", "other.yaml").err.count(note) == 1
    assert muster.ok("validate", "--cluster-runtimes", "other.yaml").err == f"other.yaml is valid\nother.yaml: {note}"
    muster.ok("wait", name, "third")
    assert cluster.calls() == []


def test_the_flag_is_noted_for_a_command_line_too(muster, cluster):
    assert "this job is not a manifest" in muster.ok("run", "--cluster-runtimes", "--", "true").err


def test_a_job_on_this_machine_can_use_a_runtime_of_the_cluster(muster, cluster, runtimes):
    muster.write("train.py", "import os\nprint(os.environ['RANK'], os.environ['WORLD_SIZE'], flush=True)\n")
    muster.write("job.yaml", TRAIN_JOB)
    done = muster.ok("run", "-q", "--cluster-runtimes", "--context", "lab", "job.yaml")
    assert sorted(line.partition("] ")[2] for line in done.out.splitlines()) == ["0 2", "1 2"]
