# SPDX-License-Identifier: Apache-2.0
"""muster doctor with a real API server: what it says about a namespace is what the server would do, and it creates nothing there."""

import json

import yaml

TIER = 1
JOB = {"name": "fashion", "nodes": 2, "command": ["true"], "kubernetes": {"image": "train:7"}}


def job_file(namespace, **keys):
    job = {**JOB, **keys, "kubernetes": {**JOB["kubernetes"], **keys.get("kubernetes", {})}}
    path = namespace.folder / "job.yaml"
    path.write_text(json.dumps(job))
    return path


def findings(namespace, *words, code=None):
    """Findings by subject; for several with one subject, the most severe."""
    done = namespace.muster("doctor", "--backend", "kubernetes", "-o", "json", *words)
    assert done.stdout, done.stderr
    found = json.loads(done.stdout)["findings"]
    assert done.returncode == (1 if any(each["level"] == "problem" for each in found) else 0) and code in (None, done.returncode), done.stdout
    return {each["subject"]: each for each in sorted(found, key=lambda each: ["ok", "note", "problem"].index(each["level"]))}


def quota(namespace, **hard):
    namespace.apply(json.dumps({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "team"}, "spec": {"hard": hard}}))


def become(namespace, user, *rules):
    """From now on kubectl and muster act as a user with these rules (verbs on resources)."""
    for number, (verbs, resource) in enumerate(rules):
        namespace.kubectl("create", "role", f"r{number}", f"--verb={verbs}", f"--resource={resource}")
        namespace.kubectl("create", "rolebinding", f"r{number}", f"--role=r{number}", f"--user={user}")
    config = yaml.safe_load(namespace.kubeconfig.read_text())
    config["users"][0]["user"]["as"] = user
    namespace.kubeconfig.write_text(yaml.safe_dump(config))
    for verbs, resource in rules:  # a grant takes effect a moment after it was made
        for verb in verbs.split(","):
            namespace.wait_for(f"{user} to be granted {verb} {resource}", lambda words=(verb, resource): may(namespace, *words))


def may(namespace, verb, resource):
    kind, _, part = resource.partition("/")
    return namespace.kubectl("auth", "can-i", verb, kind, *([f"--subresource={part}"] if part else []), check=False).stdout.strip() == "yes"


GRANTED = [("create,get,list,watch,delete", "jobsets.jobset.x-k8s.io"), ("create", "secrets"), ("get,list,watch", "pods"), ("get", "pods/log")]


def test_a_cluster_that_is_well(namespace):
    found = findings(namespace, code=0)
    assert found["namespace"]["text"] == namespace.name and found["cluster"]["text"].startswith("test, https://")
    for subject in ("user", "rights", "jobset", "admission", "capacity", "network policy"):
        assert found[subject]["level"] == "ok", found[subject]
    assert found["kubectl"]["level"] == "ok", "the cluster's own"
    assert not namespace.names("jobsets,secrets"), "only dry runs"


def test_who_may_not_exec_is_told_what_is_lost(namespace):
    become(namespace, "jane", *GRANTED)
    found = findings(namespace, job_file(namespace), code=0)
    assert found["user"]["text"] == "jane" and found["pods/exec"]["level"] == "note"
    assert "--resource=pods/exec" in found["pods/exec"]["mend"] and "--user=jane" in found["pods/exec"]["mend"]
    assert found["admission"]["level"] == "ok"
    assert found["nodes"]["text"] == found["namespace"]["text"] == "not checked: you may not read it", "and that is no failure"


def test_the_command_that_it_says_grants_what_is_missing(namespace):
    administrator = namespace.kubeconfig.read_text()
    become(namespace, "joe", *GRANTED[1:])
    mend = findings(namespace, code=1)["jobsets.jobset.x-k8s.io"]["mend"]
    namespace.kubeconfig.write_text(administrator)
    for command in mend.removeprefix("an administrator can run: ").split(" && "):
        namespace.kubectl(*command.split()[1:])
    become(namespace, "joe")
    namespace.wait_for("joe to be granted it", lambda: may(namespace, "create", "jobsets.jobset.x-k8s.io"))
    assert findings(namespace, code=0)["admission"]["level"] == "ok"


def test_a_namespace_that_is_not_there(namespace):
    found = findings(namespace, "--namespace", "nowhere", code=1)
    assert found["namespace"]["mend"] == "kubectl create namespace nowhere" and "capacity" not in found


def test_a_context_that_is_not_there(namespace):
    assert "has no context `nowhere`" in findings(namespace, "--context", "nowhere", code=1)["context"]["text"]


def test_a_quota_too_small(namespace):
    quota(namespace, **{"requests.nvidia.com/gpu": "8", "pods": "2"})
    found = findings(namespace, job_file(namespace, worker={"gpus": 8}), code=1)["quota"]
    assert found["text"] == "the job asks for 16 requests.nvidia.com/gpu, but quota team allows 8"
    assert "capacity" in findings(namespace, code=0), "without a job nothing is too small"


def test_a_limit_range_that_bites(namespace):
    limits = [{"type": "Container", "default": {"memory": "512Mi"}, "max": {"cpu": "4"}}]
    namespace.apply(json.dumps({"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "small"}, "spec": {"limits": limits}}))
    found = findings(namespace, job_file(namespace))["limit range"]
    assert found["level"] == "note" and "512 MiB memory" in found["text"]
    assert "worker asks for 8 cpu" in findings(namespace, job_file(namespace, worker={"cpus": 8}), code=1)["limit range"]["text"]


def test_pod_security_against_what_the_job_asks(namespace):
    namespace.kubectl("label", "namespace", namespace.name, "pod-security.kubernetes.io/enforce=restricted")
    assert "allow" not in findings(namespace)["namespace"]["text"]
    assert "runAsNonRoot" in findings(namespace, job_file(namespace), code=1)["pod security"]["text"]
    assert "pod security" not in findings(namespace, job_file(namespace, kubernetes={"security": {"restricted": True}}))


def test_nodes_and_names_that_are_not_there(namespace):
    wants = {"service_account": "trainer", "pull_secrets": ["reg"], "volumes": [{"name": "d", "mount": "/d", "pvc": "data"}], "queue": "team"}
    found = findings(namespace, job_file(namespace, kubernetes=wants), code=1)
    for subject in ("service account", "pull secret", "volume claim"):
        assert found[subject]["text"].startswith(f"there is no {subject} "), found[subject]
    assert found["queue"]["text"].startswith("Kueue is not installed") and found["nodes"]["text"] == "the cluster has no nodes"


def test_a_policy_that_parts_the_pods(namespace):
    deny = {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": {"name": "deny"}, "spec": {"podSelector": {}, "policyTypes": ["Ingress"]}}
    namespace.apply(json.dumps(deny))
    found = findings(namespace, code=1)["network policy"]
    assert found["text"].startswith("deny blocks worker from ")
    namespace.apply(found["mend"].partition("<<<")[2].strip("'"))
    assert findings(namespace, code=0)["network policy"]["level"] == "ok", "what it says mends it"
