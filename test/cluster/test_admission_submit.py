# SPDX-License-Identifier: Apache-2.0
"""muster submit with a real API server: creates all objects of a job, with every supported kubectl."""

import json

TIER = 1


def test_all_that_a_job_calls_for_is_made(namespace):
    volumes = [{"name": "settings", "mount": "/settings", "config": {"a.txt": "a"}}]
    path = namespace.folder / "job.yaml"
    path.write_text(json.dumps({"name": "train", "command": ["true"], "kubernetes": {"image": "train:7", "volumes": volumes}}))
    done = namespace.muster("submit", "-q", "--backend", "kubernetes", path)
    assert done.returncode == 0, done.stderr
    name = done.stdout.strip()
    made = namespace.items("jobsets,secrets,configmaps", "-l", f"muster.dev/job={name}")
    assert sorted(each["kind"] for each in made) == ["ConfigMap", "JobSet", "Secret"]
    owned = {each["metadata"]["name"]: each["metadata"]["ownerReferences"][0]["name"] for each in made if each["kind"] != "JobSet"}
    assert owned == {f"{name}-settings": name, f"{name}-muster": name}
