# SPDX-License-Identifier: Apache-2.0
"""A real Kubernetes in its own network namespaces, started by the programs of this folder, and namespaces in it. Needs root."""

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent / "e2e"))
from waiting import wait_for  # noqa: E402

PATIENCE = 60
BASE_IMAGE = "localhost/base:1"  # Debian's static busybox


class Cluster:
    """Ends with this process, however it ends: its end of a pipe is closed. `more` and `variables` are passed to `up`."""

    def __init__(self, tier, nodes=2, more=(), variables=None):
        self.tier, self.nodes = tier, range(nodes if tier == 3 else 0)
        self.process = subprocess.Popen([HERE / "up", "--attached", str(tier), str(nodes), *more], env=os.environ | (variables or {}), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline().strip()
        assert line, f"no cluster of tier {tier}"
        self.folder = Path(line)
        self.images = set()  # that tests have loaded

    def end(self):
        self.process.stdin.close()
        self.process.wait(5 * PATIENCE)  # it removes the images of both nodes

    def words(self, *words):
        """The command that runs these words in the cluster's network, with its kubectl in PATH."""
        return [str(HERE / "run"), str(self.folder), *map(str, words)]

    def kubectl(self, *words, check=True, **options):
        done = subprocess.run(self.words("kubectl", *words), capture_output=True, text=True, check=False, **options)
        assert done.returncode == 0 or not check, f"kubectl {words}: {done.stderr or done.stdout}"
        return done.stdout if check else done

    def node(self, action, number, *words, **options):
        """kill, start, freeze, thaw; or exec with a command."""
        done = subprocess.run([HERE / "node", self.folder, action, str(number), *words], capture_output=True, text=True, check=False, **options)
        assert done.returncode == 0, f"node {action} {number}: {done.stderr or done.stdout}"
        return done.stdout

    def restart_node(self, number):
        """Restarts a node as after a power cut; returns when it is ready."""
        self.node("kill", number)
        self.node("start", number)
        wait_for(lambda: self.is_ready(number), lambda: f"node {number} to be ready: {self.kubectl('get', 'nodes')}", 2 * PATIENCE)

    def service(self, action, name):
        """stop or start one service of the control plane."""
        subprocess.run([HERE / "service", self.folder, action, name], check=True)

    @contextlib.contextmanager
    def without(self, name):
        """Runs the block while that service is stopped. After it, the API answers again."""
        self.service("stop", name)
        try:
            yield
        finally:
            self.service("start", name)
            wait_for(lambda: self.kubectl("get", "--raw", "/readyz", check=False).returncode == 0, lambda: f"the API after {name} came again", PATIENCE)

    def load_image(self, archive):
        """Loads an image archive, which contains its name, on all nodes."""
        for number in self.nodes:
            with open(archive, "rb") as file:
                self.node("exec", number, "ctr", "-n", "k8s.io", "images", "import", "--local", "-", stdin=file)

    def is_ready(self, number):
        node = json.loads(self.kubectl("get", "node", f"node-{number}", "-o", "json"))
        return any(each["type"] == "Ready" and each["status"] == "True" for each in node["status"]["conditions"])


class Namespace:
    """The namespace of one test, for a `with` block that deletes it. kubectl and muster use it through a kubeconfig that names it."""

    def __init__(self, cluster, name, folder):
        self.cluster, self.name, self.folder = cluster, name, folder
        self.kubeconfig = folder / "kubeconfig"
        admin = (cluster.folder / "admin.kubeconfig").read_text()
        self.kubeconfig.write_text(admin.replace("pki/", f"{cluster.folder}/pki/").replace("user: test}", f"user: test, namespace: {name}}}", 1))
        cluster.kubectl("create", "namespace", name)
        if cluster.tier > 1:  # otherwise pods of Jobs would be refused and retried later
            self.wait_for("its service account", lambda: self.names("serviceaccount"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def variables(self):
        return {"HOME": str(self.folder), "USER": "root", "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}

    def kubectl(self, *words, check=True, **options):
        return self.cluster.kubectl("--kubeconfig", self.kubeconfig, *words, check=check, **options)

    def apply(self, manifest):
        return self.kubectl("apply", "-f", "-", input=manifest)

    def get(self, *words):
        """One object, or none."""
        done = self.kubectl("get", *words, "-o", "json", "--ignore-not-found")
        return json.loads(done) if done else None

    def items(self, *words):
        return (self.get(*words) or {"items": []})["items"]

    def names(self, *words):
        return [item["metadata"]["name"] for item in self.items(*words)]

    def condition(self, kind, name, wanted):
        """The message of a condition that is true."""
        for each in (self.get(kind, name) or {}).get("status", {}).get("conditions", []):
            if each["type"] == wanted and each["status"] == "True":
                return each.get("message") or wanted
        return None

    def wait_for(self, what, condition, seconds=PATIENCE):
        return wait_for(condition, lambda: f"{what}: {self.picture()}", seconds)

    def picture(self):
        """The objects of the namespace, for people who read a failure."""
        everything = self.kubectl("get", "jobsets,jobs,pods", "-o", "wide", check=False).stdout
        return everything + self.kubectl("get", "events", "--sort-by", ".lastTimestamp", check=False).stdout[-3000:]

    def words_of_muster(self, *words):
        return self.cluster.words("env", f"KUBECONFIG={self.kubeconfig}", os.environ["MUSTER_BINARY"], *words)

    def muster(self, *words, timeout=120, **options):
        return subprocess.run(self.words_of_muster(*words), env=self.variables(), capture_output=True, text=True, timeout=timeout, check=False,
                              cwd=self.folder, **{"stdin": subprocess.DEVNULL, **options})

    def end(self):
        self.cluster.kubectl("delete", "namespace", self.name, "--wait=false")
