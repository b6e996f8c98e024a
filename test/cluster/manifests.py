# SPDX-License-Identifier: Apache-2.0
"""Manifests for tests that do not come from muster."""

import json

from cluster import BASE_IMAGE

NAME = "jobset.sigs.k8s.io/jobset-name"


def jobset(name, script, pods=1):
    """One replicated job, `node`, whose pods run a shell script."""
    container = {"name": "main", "image": BASE_IMAGE, "command": ["sh", "-c", script]}
    pod = {"spec": {"restartPolicy": "Never", "terminationGracePeriodSeconds": 1, "containers": [container]}}
    job = {"spec": {"parallelism": pods, "completions": pods, "completionMode": "Indexed", "backoffLimit": 0, "template": pod}}
    return json.dumps({"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": name},
                       "spec": {"replicatedJobs": [{"name": "node", "replicas": 1, "template": job}]}})
