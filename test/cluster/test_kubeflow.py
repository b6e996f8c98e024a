# SPDX-License-Identifier: Apache-2.0
"""Files of Kubeflow, unchanged, in pods on two nodes (docs/guide/kubeflow.md)."""

import json
import re

from cluster import BASE_IMAGE
from jobs import losses
from trainer import PATIENCE, job_log, runtime, train_job

TIER = 3
EXTRAS = ("trainer",)
TRAIN = ["train.py", "--data", "data", "--batch", "16", "--epochs", "2"]
ONE_THREAD = [{"name": "OMP_NUM_THREADS", "value": "1"}]
LAUNCHER = ["mpirun", "-n", "4", "/app/pi"]
MEET = """
if [ "$JOB_COMPLETION_INDEX" = 0 ]; then echo "hello from index 0" | nc -l -p 7000; exit; fi
until nc -w 5 "$FIRST" 7000 </dev/null | grep hello; do sleep 0.1; done
"""


def write(jobs, *objects):
    path = jobs.namespace.folder / "manifest.yaml"
    path.write_text("---\n".join(json.dumps(each) + "\n" for each in objects))
    return path


def replicas(count, container, name, command, **keys):
    return {"replicas": count, "template": {"spec": {"containers": [{"name": name, "image": container, "command": command, **keys}]}}}


def test_a_train_job_of_torch_has_the_losses_of_this_machine_and_of_trainer(jobs, torch_image):
    namespace = jobs.namespace
    jobs.put_torch_example()
    job = train_job("ddp", {"name": "torch-distributed"}, {"image": torch_image, "command": ["torchrun", *TRAIN], "numNodes": 2,
                                                           "numProcPerNode": 2, "env": ONE_THREAD})
    file = write(jobs, job)
    there, here = jobs.run_in_pods(file, "--cluster-runtimes"), jobs.run_here(file)
    assert len(losses(there)) == 2, there
    assert losses(there) == losses(here)
    jobs.rm("ddp")
    namespace.kubectl("apply", "-f", file)
    namespace.wait_for("the TrainJob to complete", lambda: namespace.condition("trainjob", "ddp", "Complete"), 4 * PATIENCE)
    assert losses(job_log(namespace, "ddp")) == losses(here)
    namespace.kubectl("delete", "trainjob", "ddp")


def test_a_pytorch_job_has_the_losses_of_this_machine(jobs, torch_image):
    jobs.put_torch_example()
    command = ["python3", *TRAIN]
    file = write(jobs, {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": "operator"}, "spec": {"pytorchReplicaSpecs": {
        "Master": replicas(1, torch_image, "pytorch", command, env=ONE_THREAD), "Worker": replicas(1, torch_image, "pytorch", command, env=ONE_THREAD)}}})
    there, here = jobs.run_in_pods(file), jobs.run_here(file)
    assert len(losses(there)) == 2, there
    assert losses(there) == losses(here)


def test_the_replicas_of_a_tf_job_know_each_other(jobs):
    show = ["sh", "-c", "echo $TF_CONFIG; until [ -e /tmp/go ]; do sleep 0.1; done"]  # the job ends with its chief
    file = write(jobs, {"apiVersion": "kubeflow.org/v1", "kind": "TFJob", "metadata": {"name": "tf"}, "spec": {"tfReplicaSpecs": {
        "Chief": replicas(1, BASE_IMAGE, "tensorflow", show), "Worker": replicas(2, BASE_IMAGE, "tensorflow", show),
        "PS": replicas(1, BASE_IMAGE, "tensorflow", show)}}})
    submitted = jobs.muster("submit", "-q", file)
    assert submitted.returncode == 0, submitted.stderr

    def configs():
        return re.findall(r"\{.*\}", jobs.logs("tf"))
    jobs.namespace.wait_for("all replicas to print their configuration", lambda: len(configs()) == 4)
    told = [json.loads(text) for text in configs()]
    jobs.let_go("tf", "chief")
    jobs.wait_until("tf", "succeeded")
    tasks = sorted((each["task"]["type"], each["task"]["index"]) for each in told)
    assert tasks == [("chief", 0), ("ps", 0), ("worker", 0), ("worker", 1)], told
    members = {role: len(addresses) for role, addresses in told[0]["cluster"].items()}
    assert members == {"chief": 1, "worker": 2, "ps": 1}
    assert len({json.dumps(each["cluster"], sort_keys=True) for each in told}) == 1


def test_the_pi_example_of_mpi_jobs_runs_without_sshd_and_keys(jobs, mpi_image):
    file = write(jobs, {"apiVersion": "kubeflow.org/v2beta1", "kind": "MPIJob", "metadata": {"name": "pi"}, "spec": {
        "slotsPerWorker": 2, "mpiReplicaSpecs": {"Launcher": replicas(1, mpi_image, "launcher", LAUNCHER),
                                                 "Worker": replicas(2, mpi_image, "worker", ["/usr/sbin/sshd", "-De"])}}})
    assert "pi is 3.141593 by 4 ranks" in jobs.run_in_pods(file)


def test_the_pods_of_a_job_set_meet_by_the_name_of_the_first(jobs):
    container = {"name": "main", "image": BASE_IMAGE, "command": ["sh", "-c", MEET], "env": [{"name": "FIRST", "value": "meet-node-0-0.meet"}]}
    spec = {"completions": 2, "parallelism": 2, "completionMode": "Indexed", "template": {"spec": {"containers": [container]}}}
    file = write(jobs, {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "meet"},
                        "spec": {"replicatedJobs": [{"name": "node", "replicas": 1, "template": {"spec": spec}}]}})
    assert "hello from index 0" in jobs.run_in_pods(file)


def test_an_init_container_of_the_runtime_fetches_data_in_place_of_an_initializer(jobs):
    own = runtime("own", {"numNodes": 2})
    pod = own["spec"]["template"]["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
    mount = [{"name": "data", "mountPath": "/data"}]
    pod |= {"volumes": [{"name": "data", "emptyDir": {}}],
            "initContainers": [{"name": "fetch", "image": BASE_IMAGE, "command": ["sh", "-c", "echo fetched >/data/set"], "volumeMounts": mount}]}
    pod["containers"][0]["volumeMounts"] = mount
    job = train_job("fetches", "own", {"command": ["cat", "/data/set"]})
    refused = jobs.muster("run", write(jobs, own, {**job, "spec": {**job["spec"], "initializer": {"dataset": {"storageUri": "hf://a/b"}}}}))
    assert refused.returncode == 2 and "init container of the runtime" in refused.stderr, refused.stderr
    assert jobs.run_in_pods(write(jobs, own, job)).count("fetched") == 2
