# SPDX-License-Identifier: Apache-2.0
"""Memory of a job of pods apart from its ranks, and the time to render it."""

import json
import subprocess
import time
from pathlib import Path

from pods import PODS
from sides import Failed, in_turns, median

NODES = 1000


def resident(kind, name):
    """Bytes of each `muster pod KIND` of this job: without and with the pages of the program's file."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
            if b"pod" in words and kind.encode() in words and f"={name}".encode() in (folder / "environ").read_bytes():
                lines = dict(line.split(":", 1) for line in (folder / "status").read_text().splitlines())
                found.append(tuple(int(lines[key].split()[0]) * 1024 for key in ("RssAnon", "VmRSS")))
        except (OSError, ValueError, KeyError):
            continue
    return found


def of_gang(name):
    """((coordinator without, with the file), (agent without, with the file)): the largest."""
    coordinator, agents = resident("coordinate", name), resident("agent", name)
    if len(coordinator) < 1 or len(agents) < PODS:
        raise Failed(f"{len(coordinator)} coordinators and {len(agents)} agents of {name} were found")
    return max(coordinator), max(agents)


def render(here, folder, rounds):
    """Seconds of `muster render` for this many nodes."""
    path = folder / "render.yaml"
    path.write_text(json.dumps({"name": "big", "nodes": NODES, "command": ["true"], "kubernetes": {"image": "localhost/base:1"}}))

    def once():
        began = time.monotonic()
        subprocess.run([here.muster, "render", "--backend", "kubernetes", path], check=True, capture_output=True)
        return time.monotonic() - began
    return median(in_turns(rounds, {"render": once}, lambda text: None)["render"])
