# SPDX-License-Identifier: Apache-2.0
"""The same TrainJob through Kubeflow Trainer's controller and through muster, each in a namespace of its own."""

import json
import re

from cluster import BASE_IMAGE, Namespace
from differences import plain

PATIENCE = 120  # seconds
NAME = "jobset.sigs.k8s.io/jobset-name"
# Prints the variables of a container of node N as lines `env N NAME=VALUE`. Both give their pods the host name JOB-…-N.
SHOW = 'env | sed "s/^/env ${HOSTNAME##*-} /"'


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
    """The variables that SHOW printed, by node."""
    nodes = {}
    for node, name, value in re.findall(r"env (\d+) (\w+)=(.*)", output):
        nodes.setdefault(node, {})[name] = value
    return nodes


class Run:
    """The objects of the namespace after the end of the job, without the parts that differ from run to run."""

    def __init__(self, namespace, name, part, container, output):
        def clean(value):
            return plain(value, name, namespace.name)
        self.job_set = clean(namespace.get("jobset", name))
        for each in self.job_set["spec"]["replicatedJobs"]:
            if each["name"] == part:
                del each["template"]["spec"]["template"]  # its pods are compared
        pods = namespace.items("pods", "-l", f"{NAME}={name},jobset.sigs.k8s.io/replicatedjob-name={part}")
        self.pods = {pod["metadata"]["annotations"]["batch.kubernetes.io/job-completion-index"]: clean(pod) for pod in pods}
        for pod in self.pods.values():
            pod["spec"]["container"] = next(each for each in pod["spec"]["containers"] if each["name"] == container)
            pod["spec"]["containers"] = [each["name"] for each in pod["spec"]["containers"]]
        self.variables = {node: clean(values) for node, values in variables_in(output).items()}
        self.objects = {f"{item['kind']} {clean(item['metadata']['name'])}": "there" for item in namespace.items("configmaps,secrets,services")}


def job_log(namespace, name):
    """The output of all pods of a JobSet."""
    return namespace.kubectl("logs", "-l", f"{NAME}={name}", "--tail=-1")


def through_trainer(cluster, folder, objects):
    """Gives the objects to Trainer with kubectl; returns what it made of the job, which is the last of them."""
    name = objects[-1]["metadata"]["name"]
    namespace = Namespace(cluster, f"trainer-{name}", folder)
    for each in objects:
        namespace.apply(json.dumps(each))
    namespace.wait_for("the TrainJob to complete", lambda: namespace.condition("trainjob", name, "Complete"), PATIENCE)
    part = "launcher" if namespace.items("pods", "-l", f"{NAME}={name},jobset.sigs.k8s.io/replicatedjob-name=launcher") else "node"
    made = Run(namespace, name, part, "node", job_log(namespace, name))
    namespace.end()
    return made


def through_muster(cluster, folder, objects, *flags):
    """Runs the same objects with muster."""
    name = objects[-1]["metadata"]["name"]
    namespace = Namespace(cluster, f"muster-{name}", folder)
    file = folder / "trainjob.yaml"
    file.write_text("---\n".join(json.dumps(each) + "\n" for each in objects))
    done = namespace.muster("run", "--backend", "kubernetes", *flags, file)
    assert done.returncode == 0, done.stderr + done.stdout + namespace.picture()
    made = Run(namespace, name, "node", "agent", done.stdout)
    namespace.end()
    return made
