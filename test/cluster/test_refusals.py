# SPDX-License-Identifier: Apache-2.0
"""What a cluster can refuse to a job: an image, the namespace itself, access. Each is reported in a sentence; no objects are left."""

import base64
import json
import subprocess
import time

import pytest

from cluster import BASE_IMAGE
from jobs import LASTING

TIER = 3
LIFE = 120  # seconds
# No volume and no storage class can satisfy it.
CLAIM = """
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: datasets}
spec: {accessModes: [ReadWriteOnce], storageClassName: "", resources: {requests: {storage: 1Gi}}}
"""
QUOTA = """
apiVersion: v1
kind: ResourceQuota
metadata: {name: small}
spec: {hard: {pods: "2"}}
"""


def test_an_image_that_is_not_there_is_named_and_stop_leaves_nothing(jobs):
    name = jobs.submit("true", image="localhost/nothing:1", kubernetes={"image": "localhost/nothing:1", "pull_policy": "Never"})
    reason = "ErrImageNeverPull"
    jobs.namespace.wait_for("the reason", lambda: reason in jobs.job(name).get("waits_for", ""), LIFE)
    for command in ("why", "describe"):
        told = jobs.muster(command, name).stdout
        assert reason in told and "localhost/nothing:1" in told, told
    assert jobs.muster("stop", name).returncode == 0
    jobs.wait_until(name, "cancelled", LIFE)
    jobs.rm(name)


def test_a_quota_without_room_is_told_and_with_more_room_the_job_runs(jobs):
    jobs.namespace.apply(QUOTA)
    reason = "exceeded quota: small"
    name = jobs.submit(LASTING)
    for told in (lambda: jobs.job(name).get("waits_for", ""), lambda: jobs.muster("ps").stdout, lambda: jobs.muster("why", name).stdout):
        jobs.namespace.wait_for("the reason", lambda told=told: reason in told(), LIFE)
    attach, words = jobs.start("attach", name)
    jobs.says(reason, words, LIFE)
    jobs.namespace.kubectl("delete", "resourcequota", "small")
    jobs.wait_until(name, "running", LIFE)
    jobs.says("rank 1 of 2", words, LIFE)  # a running rank is released
    jobs.says("rank 0 of 2", words, LIFE)
    jobs.let_go(name)
    assert attach.wait(LIFE) == 0, words()
    jobs.rm(name)


@pytest.mark.parametrize("source,reason", [
    ({"pvc": "datasets"}, "the volume of the claim `datasets`: no persistent volumes available for this claim"),
    ({"secret": "nowhere"}, 'a volume: MountVolume.SetUp failed for volume "data" : secret "nowhere" not found')])
def test_a_volume_that_does_not_come_is_named(jobs, source, reason):
    jobs.namespace.apply(CLAIM)
    name = jobs.submit("true", kubernetes={"image": BASE_IMAGE, "volumes": [{"name": "data", "mount": "/data", **source}]})
    for told in (lambda: jobs.job(name).get("waits_for", ""), lambda: jobs.muster("ps").stdout, lambda: jobs.muster("why", name).stdout):
        jobs.namespace.wait_for("the reason", lambda told=told: reason in told(), LIFE)
    attach, words = jobs.start("attach", name)
    jobs.says(reason, words, LIFE)
    assert jobs.muster("stop", name).returncode == 0
    jobs.wait_until(name, "cancelled", LIFE)
    attach.wait(LIFE)


def test_a_deleted_namespace_ends_its_jobs_and_their_viewer_says_so(jobs):
    name = jobs.submit(LASTING)
    jobs.wait_until(name, "running", LIFE)
    attach, words = jobs.start("attach", name)
    jobs.says("rank 1 of 2", words)
    cluster = jobs.namespace.cluster
    cluster.kubectl("delete", "namespace", jobs.namespace.name, "--wait=false")
    jobs.namespace.kubectl("delete", "jobset", "--all")  # docs/reference/kubernetes-troubles.md says why
    cluster.kubectl("wait", "--for=delete", f"namespace/{jobs.namespace.name}", f"--timeout={LIFE}s")
    assert attach.wait(LIFE) != 0, words()
    assert "its JobSet was deleted" in words() or "is being deleted" in words(), words()
    again = jobs.muster("submit", jobs.file("true"))
    assert again.returncode == 5 and "no namespace" in again.stderr, again
    cluster.kubectl("create", "namespace", jobs.namespace.name)  # for the user who cleans up


def expired_token(namespace):
    """A token as the cluster would have signed it, expired for one minute."""

    def part(value):
        return base64.urlsafe_b64encode(value).rstrip(b"=")

    issuer = "https://kubernetes.default.svc.cluster.local"
    now = int(time.time())
    claims = {"iss": issuer, "aud": [issuer], "iat": now - 3600, "nbf": now - 3600, "exp": now - 60, "sub": f"system:serviceaccount:{namespace.name}:default",
              "kubernetes.io": {"namespace": namespace.name, "serviceaccount": {"name": "default", "uid": namespace.get("serviceaccount", "default")["metadata"]["uid"]}}}
    signed = part(b'{"alg":"ES256","typ":"JWT"}') + b"." + part(json.dumps(claims).encode())
    key = namespace.cluster.folder / "pki/server.key"
    der = subprocess.run(["openssl", "dgst", "-sha256", "-sign", key], input=signed, capture_output=True, check=True).stdout
    numbers, rest = [], der[2:]  # a sequence of two integers
    for _ in range(2):
        length = rest[1]
        numbers.append(int.from_bytes(rest[2 : 2 + length], "big").to_bytes(32, "big"))
        rest = rest[2 + length :]
    return (signed + b"." + part(b"".join(numbers))).decode()


def test_expired_credentials_are_told_with_what_mends_them(jobs):
    name = jobs.submit(LASTING)
    jobs.wait_until(name, "running", LIFE)
    good = jobs.namespace.kubeconfig.read_text()
    (user,) = [line for line in good.splitlines() if line.startswith("users:")]
    token = expired_token(jobs.namespace)
    jobs.namespace.kubeconfig.write_text(good.replace(user, f'users: [{{name: test, user: {{token: "{token}"}}}}]'))
    for command in (["ps"], ["describe", name], ["stop", name], ["submit", jobs.file("true", name="other")]):
        told = jobs.muster(*command)
        assert told.returncode == 4, told
        assert "they are missing or expired; log in again, then check with kubectl auth whoami" in told.stderr, told
    attach, words = jobs.start("attach", name)
    assert attach.wait(LIFE) == 4, words()
    assert "expired" in words()
    jobs.namespace.kubeconfig.write_text(good)
    assert jobs.muster("stop", name).returncode == 0
    jobs.wait_until(name, "cancelled", LIFE)
    assert jobs.muster("describe", "other").returncode != 0
    jobs.rm(name)
