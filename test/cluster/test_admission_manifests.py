# SPDX-License-Identifier: Apache-2.0
"""Applies the rendered objects of every golden job file to a real API server with JobSet's webhooks: nothing is unknown or
refused, and the Jobs appear."""

import re
from pathlib import Path

import pytest
import yaml

TIER = 1
FILES = sorted((Path(__file__).parents[1] / "golden" / "manifests").glob("*.yaml"))
SERVED = ("v1", "jobset.x-k8s.io/v1alpha2")  # a gang's PodGroup needs its scheduler, which this cluster does not have


def rendered(namespace, path, *words):
    """The documents that muster writes, for the test's namespace and not for the one in the file."""
    done = namespace.muster("render", "--backend", "kubernetes", *words, path)
    assert done.returncode == 0, done.stderr
    documents = re.split("^---\n", re.sub("^  namespace: .*\n", "", done.stdout, flags=re.MULTILINE), flags=re.MULTILINE)
    return [document for document in documents if yaml.safe_load(document)["apiVersion"] in SERVED]


def jobs_of(jobset):
    """Names of the Jobs that are created at once. Those that depend on others are created when these are ready."""
    if "managedBy" in jobset["spec"]:
        return []  # belongs to another controller
    replicated = [job for job in jobset["spec"]["replicatedJobs"] if not job.get("dependsOn")]
    return sorted(f"{jobset['metadata']['name']}-{job['name']}-{index}" for job in replicated for index in range(job.get("replicas", 1)))


def apply(namespace, documents, *words):
    """Applies the documents; an unknown field is an error."""
    return namespace.kubectl("apply", "--validate=strict", *words, "-f", "-", input="---\n".join(documents))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_it_is_admitted_and_its_jobs_appear(namespace, path):
    documents = rendered(namespace, path)
    apply(namespace, documents, "--dry-run=server")
    apply(namespace, documents)
    jobset = yaml.safe_load(documents[-1])
    namespace.wait_for("its Jobs", lambda: sorted(namespace.names("jobs")) == jobs_of(jobset))
    apply(namespace, documents)  # apply again, like tools that sync a cluster with a Git repository: nothing may be refused as a change


def test_the_secret_is_admitted_and_new_each_time(namespace):
    (first,), (second,) = (rendered(namespace, FILES[0], "--secret") for _ in range(2))
    apply(namespace, [first])
    assert first != second
