# SPDX-License-Identifier: Apache-2.0
"""muster's image on real nodes."""

import json

TIER = 3


def pod(name, image, *words):
    container = {"name": "main", "image": image, "args": list(words)}
    return json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {"restartPolicy": "Never", "containers": [container]}})


def test_it_starts_muster(namespace, muster_image):
    namespace.apply(pod("version", muster_image, "--version"))
    namespace.wait_for("the pod to end", lambda: namespace.get("pod", "version")["status"]["phase"] == "Succeeded")
    assert namespace.kubectl("logs", "version").startswith("muster 0.")
