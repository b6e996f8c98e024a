# SPDX-License-Identifier: Apache-2.0
"""torch_numa.py: prints the CPUs to which torch binds ranks on machines described by files; runs in torch's Python. stdin: a list of
cases, each with a folder that stands for /, the usable CPUs, the NUMA nodes of the GPUs, a mode and a GPU. stdout: CPUs, or null if torch
fails."""

import builtins
import json
import os
import sys
from types import SimpleNamespace

from torch.numa import binding


def bound(folder, allowed, nodes, mode, gpu):
    binding.open = lambda path: builtins.open(folder + path)
    binding.os = SimpleNamespace(path=os.path, listdir=lambda path: os.listdir(folder + path), sched_getaffinity=lambda _: set(allowed))
    binding._get_device_count = lambda: len(nodes)
    binding._get_numa_node_index_for_device_index = lambda *, device_index: max(nodes[device_index], 0)
    options = binding.NumaOptions(affinity_mode=binding.AffinityMode(mode))
    try:
        return sorted(binding._get_logical_cpus_to_bind_to(device_index=gpu, numa_options=options)) or None
    except (RuntimeError, ValueError, ZeroDivisionError):
        return None


json.dump([bound(*case) for case in json.load(sys.stdin)], sys.stdout)
