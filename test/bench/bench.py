# SPDX-License-Identifier: Apache-2.0
"""Compares muster with its rivals, figure by figure; scripts/bench builds what this needs and runs it."""

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

import figure_agents
import figure_all_reduce
import figure_controller
import figure_convert
import figure_coordinator
import figure_framework_launch
import figure_hosted_store
import figure_hosts
import figure_kubernetes
import figure_kubernetes_scale
import figure_launch
import figure_many_jobs
import figure_mpi
import figure_mpi_hosts
import figure_order
import figure_output
import figure_recovery
import figure_resolver
import figure_store
import figure_torch_launch
import figure_torch_memory
import figure_torch_restart
import figure_training
import figure_true
import figure_xgboost_launch
from sides import Failed, Here
from table import Table

FIGURES = {"launch": figure_launch, "mpi": figure_mpi, "store": figure_store, "hosted_store": figure_hosted_store, "all_reduce": figure_all_reduce,
           "training": figure_training, "torch_launch": figure_torch_launch, "torch_restart": figure_torch_restart, "torch_memory": figure_torch_memory,
           "jax_launch": figure_framework_launch.JAX, "tensorflow_launch": figure_framework_launch.TENSORFLOW,
           "xgboost_launch": figure_xgboost_launch, "resolver": figure_resolver, "recovery": figure_recovery,
           "true": figure_true, "controller": figure_controller, "coordinator": figure_coordinator, "output": figure_output, "order": figure_order, "convert": figure_convert, "many_jobs": figure_many_jobs,
           "agents": figure_agents, "hosts": figure_hosts, "mpi_hosts": figure_mpi_hosts, "kubernetes": figure_kubernetes, "kubernetes_scale": figure_kubernetes_scale}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"figures: {', '.join(FIGURES)} (all)")
    parser.add_argument("--root", type=Path, required=True)
    parser.add_argument("--torch", default="", help="an interpreter with torch 2.15")
    parser.add_argument("--old-torch", default="", help="an interpreter with an older torch")
    parser.add_argument("--framework", action="append", default=[], metavar="NAME=PYTHON", help="an interpreter with this framework")
    parser.add_argument("--json", type=Path, metavar="FILE", help="what was measured, as a document")
    parser.add_argument("--rounds", type=int, default=0, help="how often each side runs")
    return parser.parse_args()


def processor():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def commit(root):
    words = ["git", "-C", root, "describe", "--always", "--dirty"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def facts(root):
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (f"{os.cpu_count()} cores ({processor()}), {memory:.0f} GiB, Linux {platform.release()}, "
            f"load {os.getloadavg()[0]:.1f} at the start, commit {commit(root)}")


def tell(name):
    """Prints progress, on a terminal only."""
    def say(text):
        if sys.stderr.isatty():
            print(f"\r\033[K{name}: {text}", end="\r\033[K" if not text else "", file=sys.stderr, flush=True)
    return say


def main():
    arguments = parse_arguments()
    unknown = [name for name in arguments.names if name not in FIGURES]
    if unknown:
        sys.exit(f"muster: no figure is called `{unknown[0]}`; there are: {' '.join(FIGURES)}")
    build = arguments.root / "build"
    here = Here(arguments.root, build / "release/muster", build / "bench", build / "bench-example/fashion_mnist",
                arguments.torch, arguments.old_torch, arguments.rounds, dict(each.split("=", 1) for each in arguments.framework))
    where, documents, failed = facts(arguments.root), [], 0
    print(where, flush=True)
    for name in arguments.names or FIGURES:
        began, say = time.monotonic(), tell(name)
        try:
            found = FIGURES[name].measure(here, say)
        except (Failed, OSError, subprocess.SubprocessError) as error:
            found, failed = f"{name}: could not be measured: {error}", 1
        say("")
        print(f"\n{found}\n  took {time.monotonic() - began:.0f} s", flush=True)
        documents.append({"figure": name} | (found.document() if isinstance(found, Table) else {"remarks": [found]}))
    if arguments.json:
        arguments.json.write_text(json.dumps({"where": where, "figures": documents}, indent=1, ensure_ascii=False) + "\n")
    return failed


if __name__ == "__main__":
    sys.exit(main())
