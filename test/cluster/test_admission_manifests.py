"""Every manifest of the golden set before a real API server and JobSet's webhooks: nothing in it is unknown or refused, and its Jobs appear."""

from pathlib import Path

import pytest
import yaml

TIER = 1
GOLDEN = sorted((Path(__file__).parents[1] / "golden" / "manifests" / "objects").glob("*.yaml"))
SERVED = ("v1", "jobset.x-k8s.io/v1alpha2")  # a gang's PodGroup belongs to its scheduler, which is not here


def objects_of(path):
    return [each for each in yaml.safe_load_all(path.read_text()) if each["apiVersion"] in SERVED]


def jobs_of(jobset):
    """Names of the Jobs that come at once; those that depend on others come when these are ready."""
    replicated = [job for job in jobset["spec"]["replicatedJobs"] if not job.get("dependsOn")]
    return sorted(f"{jobset['metadata']['name']}-{job['name']}-{index}" for job in replicated for index in range(job.get("replicas", 1)))


def strict(namespace, objects, *words):
    """An unknown field is an error."""
    for each in objects:
        each["metadata"].pop("namespace", None)  # that of the test
    return namespace.kubectl("apply", "--validate=strict", *words, "-f", "-", input=yaml.safe_dump_all(objects))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_it_is_admitted_and_its_jobs_appear(namespace, path):
    objects = objects_of(path)
    strict(namespace, objects, "--dry-run=server")
    strict(namespace, objects)
    (jobset,) = [each for each in objects if each["kind"] == "JobSet"]
    namespace.wait_for("its Jobs", lambda: sorted(namespace.names("jobs")) == jobs_of(jobset))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_what_is_stored_is_what_was_written(namespace, path):
    """The same manifest again changes nothing: what a Git repository holds is not seen as drift."""
    objects = objects_of(path)
    strict(namespace, objects)
    again = strict(namespace, objects)
    assert all(line.endswith(" unchanged") for line in again.splitlines()), again
