# SPDX-License-Identifier: Apache-2.0
"""muster's jobs in a namespace: submitted like a user does, inspected through muster and through the cluster."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

from cluster import BASE_IMAGE, PATIENCE
from images import TORCH_EXAMPLE
from pictures import write_pictures
from waiting import wait_for

TRAINING = 420  # seconds
KIND = "jobsets,jobs,pods,secrets,configmaps,services,roles,rolebindings,persistentvolumeclaims"
# A rank that runs until its test releases it through its pod; for busybox's shell.
LASTING = 'echo $$ >/tmp/rank-$MUSTER_RANK; echo "rank $MUSTER_RANK of $MUSTER_WORLD_SIZE on $(hostname) begins"; while [ ! -e /tmp/go ]; do sleep 0.1; done; echo went $MUSTER_RANK'


def losses(output):
    """What examples/torch_ddp prints of each epoch."""
    return re.findall(r"epoch \d+/\d+ loss \S+ accuracy \S+ %", output)


class Jobs:
    def __init__(self, namespace):
        self.namespace = namespace

    def file(self, script, name="train", image=BASE_IMAGE, **keys):
        """A job file with a pod on each of two nodes and one rank in each; JSON is valid YAML."""
        job = {"name": name, "nodes": 2, "workdir": "/", "command": ["sh", "-c", script], "kubernetes": {"image": image}, **keys}
        path = self.namespace.folder / f"{name}.yaml"
        path.write_text(json.dumps(job))
        return path

    def muster(self, command, *words, **options):
        return self.namespace.muster(command, "--backend", "kubernetes", *words, **options)

    def submit(self, script, **keys):
        """Submits a job; returns its name."""
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
        """The pods of a group by index: names and uids."""
        return {pod["metadata"]["name"]: pod["metadata"]["uid"] for pod in sorted(self.pods_of(name, group), key=lambda pod: pod["metadata"]["name"])}

    def pods_of(self, name, part):
        return self.namespace.items("pods", "-l", f"jobset.sigs.k8s.io/jobset-name={name},jobset.sigs.k8s.io/replicatedjob-name={part}")

    def nodes_of(self, name, part):
        return {pod["spec"]["nodeName"] for pod in self.pods_of(name, part)}

    def termination_message(self, name, part):
        """The termination message of that pod, as the cluster shows it."""
        (pod,) = self.pods_of(name, part)
        (status,) = [each for each in pod["status"]["containerStatuses"] if each["name"] == part]
        return status["state"]["terminated"]["message"]

    def in_pod(self, pod, script):
        """Runs a script in a pod of ranks."""
        return self.namespace.kubectl("exec", pod, "-c", "agent", "--", "sh", "-c", script)

    def let_go(self, name, part="worker"):
        for pod in self.pods_of(name, part):
            if "deletionTimestamp" not in pod["metadata"]:
                self.in_pod(pod["metadata"]["name"], "touch /tmp/go")

    def start(self, command, *words):
        """Starts a command; returns it, and its output so far."""
        path = self.namespace.folder / f"{command}.out"
        with open(path, "wb") as out:
            process = subprocess.Popen(self.namespace.words_of_muster(command, "--backend", "kubernetes", *map(str, words)), env=self.namespace.variables(),
                                       stdin=subprocess.DEVNULL, stdout=out, stderr=out, cwd=self.namespace.folder)
        return process, path.read_text

    def says(self, text, words, seconds=PATIENCE):
        wait_for(lambda: text in words(), lambda: f"`{text}` in {words()}\n{self.namespace.picture()}", seconds)

    def left(self):
        """All objects that exist for jobs."""
        return self.namespace.names(KIND, "-l", "muster.dev/job")

    def rm(self, name):
        """Removes the job as a user does, and waits until nothing of it is left."""
        done = self.muster("rm", name)
        assert done.returncode == 0, done.stderr
        self.namespace.wait_for("nothing of it to be left", lambda: self.left() == [])

    def put_torch_example(self):
        """examples/torch_ddp and its data in the folder of the namespace, as in the image."""
        shutil.copy(TORCH_EXAMPLE, self.namespace.folder)
        (self.namespace.folder / "data").mkdir()
        write_pictures(self.namespace.folder / "data")

    def run_here(self, file):
        """Runs the file with PyTorch on this machine; returns the output."""
        own = self.namespace.variables() | {"PATH": f"{Path(os.environ['CLUSTER_TORCH'])}/bin:/usr/bin:/bin"}
        done = subprocess.run([os.environ["MUSTER_BINARY"], "run", "--standalone", file], env=own, cwd=self.namespace.folder,
                              capture_output=True, text=True, timeout=TRAINING, check=False, stdin=subprocess.DEVNULL)
        assert done.returncode == 0, done.stderr + done.stdout
        return done.stdout

    def run_in_pods(self, file, *flags):
        """Runs the file in the cluster; returns the output."""
        done = self.muster("run", *flags, file, timeout=TRAINING)
        assert done.returncode == 0, done.stderr + done.stdout + self.namespace.picture()
        return done.stdout
