# SPDX-License-Identifier: Apache-2.0
"""`muster render --backend kubernetes`: Kubernetes objects from a job file, without a cluster. test/cluster applies them."""

import json

import yaml

JOB = """\
name: fashion
nodes: 2
workers: 4
command: [./train, "$(HOSTNAME)", "$$"]
env: {TOKEN: {from: "env:TOKEN"}, LEVEL: "yes"}
kubernetes: {image: "registry.example/train:7"}
"""
TO_CLUSTER = ("render", "--backend", "kubernetes")


def documents(done):
    return list(yaml.safe_load_all(done.out))


def container(jobset, job):
    [found] = [each for each in jobset["spec"]["replicatedJobs"] if each["name"] == job]
    return found["template"]["spec"]["template"]["spec"]["containers"][0]


def test_a_manifest_is_the_same_each_time_and_holds_no_secret(muster):
    muster.write("job.yaml", JOB)
    first, second = (muster.ok(*TO_CLUSTER, "job.yaml", env={"TOKEN": "hush"}) for _ in range(2))
    assert first.out == second.out
    assert "hush" not in first.out
    [jobset] = documents(first)
    assert (jobset["kind"], jobset["metadata"]["name"]) == ("JobSet", "fashion")
    assert muster.ok(*TO_CLUSTER, "-o", "json", "job.yaml").json()["items"] == [jobset]
    assert muster.ok(*TO_CLUSTER, "-o", "name", "job.yaml").out == "jobset/fashion\n"


def test_the_coordinator_gets_the_job_as_it_was_written(muster):
    muster.write("job.yaml", JOB)
    [jobset] = documents(muster.ok(*TO_CLUSTER, "job.yaml"))
    [value] = [each["value"] for each in container(jobset, "coordinator")["env"] if each["name"] == "MUSTER_POD_JOB"]
    assert "$" not in value  # a cluster would replace $(NAME) by a value
    job = json.loads(value)
    assert job["groups"][0]["command"] == ["./train", "$(HOSTNAME)", "$$"]
    assert job["env"]["LEVEL"] == "yes"
    assert job["workdir"] == "."
    assert (job["groups"][0]["nodes"], job["groups"][0]["worker"]["gpus"]) == ("2", 0)


def test_its_secret_is_printed_apart_and_has_a_token_of_its_own(muster):
    muster.write("job.yaml", JOB)
    [one], [other] = (documents(muster.ok(*TO_CLUSTER, "--secret", "job.yaml", env={"TOKEN": "hu\"sh"})) for _ in range(2))
    assert (one["kind"], one["metadata"]["name"]) == ("Secret", "fashion-muster")
    assert json.loads(one["stringData"]["secrets.json"]) == {"TOKEN": "hu\"sh"}
    assert len(one["stringData"]["token"]) == 64
    assert one["stringData"]["token"] != other["stringData"]["token"]
    absent = muster(*TO_CLUSTER, "--secret", "job.yaml")
    assert (absent.code, absent.out) == (2, "")
    assert "[E1404]" in absent.err
    here = muster("render", "--secret", "job.yaml")
    assert here.code == 2
    assert "--backend kubernetes" in here.err


def test_a_job_without_a_name_is_called_like_its_file(muster):
    muster.write("my_train.yaml", "command: [./train]\nkubernetes: {image: a}\n")
    [jobset] = documents(muster.ok(*TO_CLUSTER, "my_train.yaml"))
    assert jobset["metadata"]["name"] == "my-train"


def test_what_a_cluster_cannot_give_is_refused_at_its_place(muster):
    muster.write("job.yaml", JOB + "priority: 5\n")
    for verb in ("render", "validate", "run", "submit"):
        done = muster(verb, "job.yaml", env={"MUSTER_BACKEND": "kubernetes"})
        assert (done.code, done.out) == (2, ""), verb
        assert "job.yaml:7:11" in done.err
        assert "[E1604]" in done.err
        assert "kubernetes.priority_class" in done.err
    assert "E1604" not in muster("validate", "job.yaml").err  # elsewhere it means something


def test_an_unknown_key_has_its_line_and_column(muster):
    muster.write("job.yaml", "command: [x]\nkubernetes: {image: a, nodeselector: {a: b}}\n")
    done = muster("validate", "job.yaml")
    assert done.code == 2
    assert "job.yaml:2:24" in done.err
    assert "did you mean `node_selector`?" in done.err


def test_without_an_image_nothing_is_rendered(muster):
    done = muster(*TO_CLUSTER, "--", "./train")
    assert (done.code, done.out) == (2, "")
    assert "[E1601]" in done.err
    assert muster.ok("explain", "E1601").out.startswith("E1601")
    assert muster.ok(*TO_CLUSTER, "--set", "kubernetes.image=a", "--", "./train").out.startswith("apiVersion: ")


def test_it_says_what_is_wanted_beside_and_takes_a_namespace(muster):
    muster.write("job.yaml", JOB)
    done = muster.ok(*TO_CLUSTER, "--namespace", "research", "job.yaml")
    assert documents(done)[0]["metadata"]["namespace"] == "research"
    assert "the Secret fashion-muster:  muster render --backend kubernetes --namespace research --secret job.yaml | kubectl apply" in done.err
    assert "the image muster:" in done.err
    secret = muster.ok(*TO_CLUSTER, "--namespace", "research", "--secret", "job.yaml", env={"TOKEN": "x"})
    assert documents(secret)[0]["metadata"]["namespace"] == "research"
    wrong = muster(*TO_CLUSTER, "--namespace", "Not_One", "job.yaml")
    assert wrong.code == 2 and "--> --namespace" in wrong.err
    here = muster("render", "--namespace", "research", "job.yaml")
    assert here.code == 2 and "add --backend kubernetes" in here.err
