# SPDX-License-Identifier: Apache-2.0
"""`Cluster`: a cluster for commands with --backend kubernetes, behind a stand-in for kubectl (stand_in_kubectl.py)."""

import contextlib
import json
import os
import shutil
import signal
from datetime import datetime, timezone
from pathlib import Path

from pods import Pods


class Cluster:
    """The stand-in's data, and the processes of the pods."""

    def __init__(self, muster, folder):
        self.muster, self.folder = muster, folder
        folder.mkdir()
        tools = folder / "bin"
        tools.mkdir()
        shutil.copy(Path(__file__).with_name("stand_in_kubectl.py"), tools / "kubectl")
        (tools / "kubectl").chmod(0o755)
        muster.env |= {"PATH": f"{tools}:{os.environ['PATH']}", "STAND_IN_CLUSTER": str(folder)}
        self.pods = Pods(muster, folder / "pods")

    def object(self, kind, name):
        path = self.folder / "objects" / f"{kind}-{name}.json"
        return json.loads(path.read_text()) if path.exists() else None

    def calls(self):
        path = self.folder / "calls"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def refuse(self, **sentences):
        (self.folder / "refuse.json").write_text(json.dumps({what.replace("_", " ").strip(): said for what, said in sentences.items()}))

    def set_pods(self, name, coordinator, words="", **others):
        """Sets the state of the coordinator's pod (Pending, Running or Succeeded) and those of other pods."""
        self.write_pods([self.pod(name, part, phase, words) for part, phase in {"coordinator": coordinator, **others}.items()])

    def write_pods(self, pods):
        (self.folder / "pods.new").write_text(json.dumps(pods))
        os.rename(self.folder / "pods.new", self.folder / "pods.json")

    def write_events(self, events):
        (self.folder / "events.new").write_text(json.dumps({"items": events}))
        os.rename(self.folder / "events.new", self.folder / "events.json")

    @staticmethod
    def pod(name, part, phase, words):
        status = {"phase": phase}
        container = part if part in ("coordinator", "verdict") else "agent"
        if phase == "Pending":
            status["conditions"] = [{"type": "PodScheduled", "status": "False", "message": "0/2 nodes are available: 2 Insufficient cpu."}]
        elif phase == "Running":
            status["containerStatuses"] = [{"name": container, "state": {"running": {}}}]
        else:
            status["containerStatuses"] = [{"name": container, "state": {"terminated": {"exitCode": 0, "message": words}}}]
        labels = {"jobset.sigs.k8s.io/jobset-name": name, "jobset.sigs.k8s.io/replicatedjob-name": part, "muster.dev/job": name}
        return {"metadata": {"name": f"{name}-{part}-0-0-x", "labels": labels, "creationTimestamp": "2026-11-23T10:28:41Z"},
                "spec": {"containers": [{"name": container}]}, "status": status}

    @staticmethod
    def with_sidecar(pod):
        """The same pod in a cluster that adds a container before muster's to every pod. It runs on when muster's has ended."""
        status = pod["status"]
        pod["spec"]["containers"].insert(0, {"name": "istio-proxy"})
        status["containerStatuses"].insert(0, {"name": "istio-proxy", "ready": True, "state": {"running": {}}})
        return pod | {"status": status | {"phase": "Running"}}

    def end_job_set(self, name, kind):
        path = self.folder / "objects" / f"jobset-{name}.json"
        item = json.loads(path.read_text())
        item["status"] = {"conditions": [{"type": kind, "status": "True", "message": "as JobSet says", "lastTransitionTime": "2026-11-23T10:30:00Z"}]}
        path.write_text(json.dumps(item))

    def start_pods(self, name, agents=True):
        """Starts the pods of the JobSet with this name as processes."""
        parts = self.object("jobset", name)["spec"]["replicatedJobs"]
        coordinator = next(part for part in parts if part["name"] == "coordinator")
        env = coordinator["template"]["spec"]["template"]["spec"]["containers"][0]["env"]
        spec = json.loads(next(each["value"] for each in env if each["name"] == "MUSTER_POD_JOB"))
        running = self.pods.coordinate(**spec)
        own = self.pods.environment("coordinator", "c", self.pods.address(1))
        (self.folder / "view.json").write_text(json.dumps({"argv": [self.muster.binary, "pod", "view"], "env": own}))
        if agents:
            self.start_agents()
        self.set_pods(name, "Running", **({} if agents else {"worker": "Pending"}))
        return running

    def start_agents(self):
        return [self.pods.agent(index) for index in (0, 1)]

    def kill_for_memory(self, name, index):
        """Kills a whole container, as the kernel does, and restarts it, as the kubelet does. All its processes are stopped
        before the first is killed, so that none can report it."""
        ended = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        pod = self.pod(name, "worker", "Running", "")
        pod["metadata"]["name"] = f"{name}-worker-0-{index}-x"
        pod["status"]["containerStatuses"][0]["lastState"] = {"terminated": {"exitCode": 137, "reason": "OOMKilled", "finishedAt": ended}}
        self.write_pods([self.pod(name, "coordinator", "Running", ""), pod])
        processes = self.pods.processes(f"worker-{index}")
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in processes:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, number)
        self.pods.agent(index)

    def end_pods(self, name, coordinator, kind):
        """Ends all pods; keeps the coordinator's log and termination message."""
        done = coordinator.end()
        (self.folder / "log").write_text(done.out + done.err)
        self.set_pods(name, "Succeeded", self.pods.failure_message())
        self.end_job_set(name, kind)

    def viewers(self):
        path = self.folder / "viewers"
        return [int(line) for line in path.read_text().split()] if path.exists() else []
