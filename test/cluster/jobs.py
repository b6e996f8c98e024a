# SPDX-License-Identifier: Apache-2.0
"""Jobs of muster in a namespace: submitted as a user would, looked at from both sides."""

import json
import subprocess

from cluster import BASE_IMAGE, PATIENCE
from waiting import wait_for

KIND = "jobsets,jobs,pods,secrets,configmaps,services,roles,rolebindings,persistentvolumeclaims"
# A rank that runs until its test says so; busybox's shell. Where its pod can be told to let it go.
LASTING = 'echo $$ >/tmp/rank-$MUSTER_RANK; echo "rank $MUSTER_RANK of $MUSTER_WORLD_SIZE on $(hostname) begins"; while [ ! -e /tmp/go ]; do sleep 0.1; done; echo went $MUSTER_RANK'


class Jobs:
    def __init__(self, namespace):
        self.namespace = namespace

    def file(self, script, name="train", image=BASE_IMAGE, **keys):
        """A job file with a pod on each of two nodes, a rank in each; JSON is YAML too."""
        job = {"name": name, "nodes": 2, "workdir": "/", "command": ["sh", "-c", script], "kubernetes": {"image": image}, **keys}
        path = self.namespace.folder / f"{name}.yaml"
        path.write_text(json.dumps(job))
        return path

    def muster(self, command, *words, **options):
        return self.namespace.muster(command, "--backend", "kubernetes", *words, **options)

    def submit(self, script, **keys):
        """Its name."""
        done = self.muster("submit", "-q", self.file(script, **keys))
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def job(self, name):
        done = self.muster("describe", name, "-o", "json")
        return json.loads(done.stdout) if done.returncode == 0 else {"state": f"not told: {done.stderr}"}

    def wait_until(self, name, state, seconds=PATIENCE):
        self.namespace.wait_for(f"{name} to be {state}", lambda: self.job(name)["state"] == state, seconds)

    def logs(self, name):
        return self.muster("logs", name).stdout

    def pods(self, name, group="worker"):
        """Pods of a group by index: names and what makes them these and no others."""
        return {pod["metadata"]["name"]: pod["metadata"]["uid"] for pod in sorted(self.pods_of(name, group), key=lambda pod: pod["metadata"]["name"])}

    def pods_of(self, name, part):
        return self.namespace.items("pods", "-l", f"jobset.sigs.k8s.io/jobset-name={name},jobset.sigs.k8s.io/replicatedjob-name={part}")

    def nodes_of(self, name, part):
        return {pod["spec"]["nodeName"] for pod in self.pods_of(name, part)}

    def failure_message(self, name, part):
        """What the cluster shows of the end of that pod."""
        (pod,) = self.pods_of(name, part)
        return pod["status"]["containerStatuses"][0]["state"]["terminated"]["message"]

    def in_pod(self, pod, script):
        return self.namespace.kubectl("exec", pod, "-c", self.container(pod), "--", "sh", "-c", script)

    def container(self, pod):
        return self.namespace.get("pod", pod)["spec"]["containers"][0]["name"]

    def let_go(self, name):
        for pod in self.pods_of(name, "worker"):
            if "deletionTimestamp" not in pod["metadata"]:
                self.in_pod(pod["metadata"]["name"], "touch /tmp/go")

    def start(self, command, *words):
        """A command that goes on, and what it has said."""
        path = self.namespace.folder / f"{command}.out"
        with open(path, "wb") as out:
            process = subprocess.Popen(self.namespace.words_of_muster(command, "--backend", "kubernetes", *map(str, words)), env=self.namespace.variables(),
                                       stdin=subprocess.DEVNULL, stdout=out, stderr=out, cwd=self.namespace.folder)
        return process, path.read_text

    def says(self, text, words, seconds=PATIENCE):
        wait_for(lambda: text in words(), lambda: f"`{text}` in {words()}\n{self.namespace.picture()}", seconds)

    def left(self):
        """All that is made for jobs, whatever made it."""
        return self.namespace.names(KIND, "-l", "muster.dev/job")

    def rm(self, name):
        """As a person leaves the namespace behind."""
        done = self.muster("rm", name)
        assert done.returncode == 0, done.stderr
        self.namespace.wait_for("nothing of it to be left", lambda: self.left() == [])
