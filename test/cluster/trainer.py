# SPDX-License-Identifier: Apache-2.0
"""The same TrainJob through Kubeflow Trainer's controller and through muster, each in a namespace of its own."""

import json
import re

from cluster import BASE_IMAGE, Namespace
from differences import plain

PATIENCE = 120  # seconds
NAME = "jobset.sigs.k8s.io/jobset-name"
# Prints the variables of a container as lines `env HOST NAME=VALUE`.
SHOW = 'env | sed "s/^/env $HOSTNAME /"; echo env $HOSTNAME SHOWN=all'


def runtime(name, policy, replicated=None, **template):
    """A TrainingRuntime with a container of busybox, or with these replicated jobs."""
    pod = {"containers": [{"name": "node", "image": BASE_IMAGE}]}
    usual = [{"name": "node", "template": {"metadata": {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}},
                                           "spec": {"template": {"spec": pod}}}}]
    return {"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainingRuntime", "metadata": {"name": name},
            "spec": {"mlPolicy": policy, "template": {"spec": {"replicatedJobs": replicated or usual}, **template}}}


def train_job(name, runtime_ref, trainer, **spec):
    if isinstance(runtime_ref, str):
        runtime_ref = {"name": runtime_ref, "kind": "TrainingRuntime"}
    return {"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob", "metadata": {"name": name},
            "spec": {"runtimeRef": runtime_ref, "trainer": {"image": BASE_IMAGE, "command": ["sh", "-c", SHOW], **trainer}, **spec}}


def variables_in(output):
    """The variables that SHOW printed, by host name."""
    hosts = {}
    for host, name, value in re.findall(r"env (\S+) (\w+)=(.*)", output):
        hosts.setdefault(host, {})[name] = value
    return hosts


def pods_of(namespace, name, part):
    """The pods of a replicated job of the JobSet, by index."""
    pods = namespace.items("pods", "-l", f"{NAME}={name},jobset.sigs.k8s.io/replicatedjob-name={part}")
    return sorted(pods, key=lambda pod: int(pod["metadata"]["annotations"]["batch.kubernetes.io/job-completion-index"]))


class Run:
    """The objects of the namespace, without the parts that differ from run to run. `parts`: the replicated jobs whose pods are nodes of
    the job, in their order. `container`: the one that runs its processes. `output`: of SHOW on each node."""

    def __init__(self, namespace, name, parts, container, output):
        def clean(value):
            return plain(value, name, namespace.name)
        self.job_set = clean(namespace.get("jobset", name))
        for each in self.job_set["spec"]["replicatedJobs"]:
            if each["name"] in parts:
                del each["template"]["spec"]["template"]  # its pods are compared
        pods = [pod for part in parts for pod in pods_of(namespace, name, part)]
        told = variables_in(output)
        self.variables = [clean(told[pod["spec"]["hostname"]]) for pod in pods]  # by node
        self.pods = [clean(pod) for pod in pods]
        for pod in self.pods:
            pod["spec"]["container"] = next(each for each in pod["spec"]["containers"] if each["name"] == container)
            pod["spec"]["containers"] = [each["name"] for each in pod["spec"]["containers"]]
        self.objects = {f"{item['kind']} {clean(item['metadata']['name'])}": "there" for item in namespace.items("configmaps,secrets,services")}


def job_log(namespace, name):
    """The output of all pods of a JobSet; empty until each of them runs."""
    return namespace.kubectl("logs", "-l", f"{NAME}={name}", "--tail=-1", check=False).stdout


def through_trainer(cluster, folder, objects, launcher=False):
    """Gives the objects to Trainer with kubectl; returns what it made of the job, which is the last of them. `launcher`: a pod of MPI,
    the first node, runs until it finds the file /tmp/go. JobSet deletes the workers when it ends."""
    name = objects[-1]["metadata"]["name"]
    with Namespace(cluster, f"trainer-{name}", folder) as namespace:
        def completes():
            namespace.wait_for("the TrainJob to complete", lambda: namespace.condition("trainjob", name, "Complete"), PATIENCE)
        for each in objects:
            namespace.apply(json.dumps(each))
        if not launcher:
            completes()
            return Run(namespace, name, ("node",), "node", job_log(namespace, name))
        nodes = objects[-1]["spec"]["trainer"]["numNodes"]
        namespace.wait_for("each node to print its variables", lambda: job_log(namespace, name).count("SHOWN=all") == nodes, PATIENCE)
        made = Run(namespace, name, ("launcher", "node"), "node", job_log(namespace, name))
        namespace.kubectl("exec", pods_of(namespace, name, "launcher")[0]["metadata"]["name"], "--", "touch", "/tmp/go")
        completes()
        return made


def through_muster(cluster, folder, objects, *flags):
    """Runs the same objects with muster."""
    name = objects[-1]["metadata"]["name"]
    with Namespace(cluster, f"muster-{name}", folder) as namespace:
        file = folder / "trainjob.yaml"
        file.write_text("---\n".join(json.dumps(each) + "\n" for each in objects))
        done = namespace.muster("run", "--backend", "kubernetes", *flags, file)
        assert done.returncode == 0, done.stderr + done.stdout + namespace.picture()
        return Run(namespace, name, ("node",), "agent", done.stdout)
