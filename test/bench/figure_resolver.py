# SPDX-License-Identifier: Apache-2.0
"""resolver: launches 8 torch ranks with a name server that answers at once, and with one that never answers."""

import subprocess
import sys
from pathlib import Path

from sides import in_turns
from table import Row, Table, duration
from torch_sides import launched_by_muster, launched_by_torchrun

RANKS = 8
APART = ["unshare", "--mount", "--net", "--map-root-user"]
SCRIPT = Path(__file__).with_name("quiet_resolver.py")


def p99(times):
    return sorted(times)[min(len(times) - 1, int(len(times) * 0.99))]


def sides_of(here):
    launchers = {"muster": launched_by_muster, "torchrun": launched_by_torchrun}
    return {f"{name}, {kind}": lambda launch=launch, kind=kind: launch(here, RANKS, [*APART, sys.executable, SCRIPT, kind])
            for name, launch in launchers.items() for kind in ("good", "silent")}


def rows(results):
    for name, target in (("muster", 1.1), ("torchrun", None)):
        for what, index, aim in (("command → all past the first collective", 0, target), ("last import → past it", 1, None)):
            silent, good = (p99([times[index] for times in results[f"{name}, {kind}"]]) for kind in ("silent", "good"))
            yield Row(f"{name}: {what}", silent, good, duration, aim, True)


def measure(here, say):
    if not here.torch:
        return "resolver: no torch 2.15 here, so there is nothing to launch"
    if subprocess.run([*APART, "true"], capture_output=True, check=False).returncode != 0:
        return "resolver: this user may make no namespaces here (unshare --mount --net --map-root-user)"
    rounds = here.rounds or 10
    results = in_turns(rounds, sides_of(here), say)
    return Table(f"resolver: {RANKS} ranks of torch, p99 of {rounds} launches\n"
                 "  `muster`: with a resolver that never answers; `rival`: the same launcher with one that answers at once", rows(results))
