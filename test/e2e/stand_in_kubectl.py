#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A stand-in for kubectl and its cluster, which is a folder (STAND_IN_CLUSTER). It supports only the calls that muster makes.

objects/KIND-NAME.json   the created objects
pods.json                the pods of all jobs, written by the test
log                      the log of every coordinator
events.json              a List
runtimes/KIND-NAME.yaml  runtimes of Kubeflow Trainer; without the folder, the cluster does not have Trainer
login                    a FIFO: calls ask for a login, and wait until the test opens it for writing
view.json                argv and environment of the program that answers `exec`: a real `muster pod view`
refuse.json              {"create secret": "Error from server …"}: calls that fail with this text on stderr
calls                    the arguments of each call, one JSON line for each
"""

import json
import os
import sys
import uuid
from pathlib import Path

CLUSTER = Path(os.environ["STAND_IN_CLUSTER"])
OBJECTS = CLUSTER / "objects"


def refuse(sentence):
    sys.exit(sentence)


def may(what):
    path = CLUSTER / "refuse.json"
    sentences = json.loads(path.read_text()) if path.exists() else {}
    if what in sentences:
        refuse(sentences[what])


def log_in():
    """Asks as the credential plugin of a cluster does, before the API server is called."""
    path = CLUSTER / "login"
    if path.exists():
        print("To sign in, open https://login.example and enter the code K7", file=sys.stderr, flush=True)
        path.read_text()


def path_of(kind, name):
    return OBJECTS / f"{kind}-{name}.json"


def write_whole(path, text):
    """Writes atomically: a reader sees all of the text or nothing."""
    fresh = CLUSTER / f"{path.name}.{os.getpid()}"
    fresh.write_text(text)
    fresh.rename(path)


def create(_words):
    made = []
    given = json.load(sys.stdin)
    log_in()
    for item in given["items"] if given["kind"] == "List" else [given]:
        kind, name = item["kind"].lower(), item["metadata"]["name"]
        may(f"create {kind}")
        if path_of(kind, name).exists():
            refuse(f'Error from server (AlreadyExists): error when creating "STDIN": {kind}s.jobset.x-k8s.io "{name}" already exists')
        item["metadata"] |= {"uid": str(uuid.uuid4()), "creationTimestamp": "2026-11-23T10:28:40Z"}
        write_whole(path_of(kind, name), json.dumps(item))
        made.append(item)
    print(json.dumps(made[0] if len(made) == 1 else {"items": made}))


def selected(item, selector):
    labels = item["metadata"].get("labels", {})
    for wanted in selector.split(","):
        key, _, value = wanted.partition("=")
        if key not in labels or (value and labels[key] != value):
            return False
    return True


def get_runtimes(resource, name):
    folder, kind = CLUSTER / "runtimes", resource.partition(".")[0]
    if not folder.exists():
        refuse(f'error: the server doesn\'t have a resource type "{kind}"')
    if name:
        path = folder / f"{kind}-{name}.yaml"
        print(path.read_text() if path.exists() else "", end="")
    else:
        names = [path.stem.removeprefix(f"{kind}-") for path in folder.glob(f"{kind}-*.yaml")]
        labels = {"trainer.kubeflow.org/framework": "torch"}
        item = {"kind": "TrainingRuntime"} if kind == "trainingruntimes" else {"kind": "ClusterTrainingRuntime"}
        space = {"namespace": "team"} if kind == "trainingruntimes" else {}
        print(json.dumps({"items": [item | {"metadata": {"name": each, "labels": labels} | space} for each in names]}))


def get(words):
    log_in()
    may(f"get {words[0].partition('.')[0]}")
    if "trainingruntimes." in words[0]:
        resource, _, name = words[0].partition("/")
        if not name:
            may(f"list {resource.partition('.')[0]}")
        get_runtimes(resource, name)
    elif words[0] == "pods":
        pods = json.loads((CLUSTER / "pods.json").read_text()) if (CLUSTER / "pods.json").exists() else []
        phase = next((word.rpartition("=")[2] for word in words if word.startswith("--field-selector=status.phase=")), None)
        found = [pod for pod in pods if selected(pod, words[words.index("-l") + 1]) and phase in (None, pod["status"]["phase"])]
        print(json.dumps({"items": found}))
    elif words[0] == "events":
        print((CLUSTER / "events.json").read_text() if (CLUSTER / "events.json").exists() else '{"items": []}')
    elif words[1] == "-l":
        print(json.dumps({"items": [json.loads(path.read_text()) for path in sorted(OBJECTS.glob("jobset-*"))]}))
    elif path_of("jobset", words[1]).exists():
        print(path_of("jobset", words[1]).read_text())
    else:
        refuse(f'Error from server (NotFound): jobsets.jobset.x-k8s.io "{words[1]}" not found')


def delete(words):
    may("delete jobsets")
    for path in OBJECTS.iterdir():
        item = json.loads(path.read_text())
        owners = [owner["name"] for owner in item["metadata"].get("ownerReferences", [])]
        if path == path_of("jobset", words[1]) or words[1] in owners:
            path.unlink()


def exec_in_pod(words):
    may("exec")
    assert words[words.index("--") + 1:] == ["/muster-image/muster", "pod", "view"], words
    view = json.loads((CLUSTER / "view.json").read_text())
    (CLUSTER / "viewers").open("a").write(f"{os.getpid()}\n")
    os.execve(view["argv"][0], view["argv"], view["env"])


def logs(words):
    may("logs")
    lines = (CLUSTER / "log").read_text().splitlines(keepends=True)
    tail = [int(word.partition("=")[2]) for word in words if word.startswith("--tail=")]
    sys.stdout.write("".join(lines[-tail[0]:] if tail else lines))


def main():
    words = [word for word in sys.argv[1:] if not word.startswith(("--context=", "--namespace="))]
    OBJECTS.mkdir(parents=True, exist_ok=True)
    with (CLUSTER / "calls").open("a") as calls:
        calls.write(json.dumps(sys.argv[1:]) + "\n")
    may("")
    {"create": create, "get": get, "delete": delete, "exec": exec_in_pod, "logs": logs}[words[0]](words[1:])


main()
