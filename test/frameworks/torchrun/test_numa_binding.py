# SPDX-License-Identifier: Apache-2.0
"""--numa-binding of muster and of torch, on machines described by files."""

import itertools
import json
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import pytest

MODES = ("node", "socket", "exclusive", "core-complex")


@dataclass
class Machine:
    sockets: int = 1
    nodes: int = 1  # CPUs of a socket
    cores: int = 4  # CPUs of a node
    threads: int = 2
    shared: int = 4  # CPUs that share a last-level cache
    offline: set = field(default_factory=set)
    forbidden: set = field(default_factory=set)  # limited by the affinity
    gpus: tuple = (0,)  # their NUMA nodes

    def __post_init__(self):
        self.all_cores = self.sockets * self.nodes * self.cores
        self.online = sorted(set(range(self.all_cores * self.threads)) - self.offline)
        self.allowed = sorted(set(self.online) - self.forbidden)

    # The kernel numbers all cores first, then their second threads.
    def core(self, cpu):
        return cpu % self.all_cores

    def node(self, cpu):
        return self.core(cpu) // self.cores

    def package(self, cpu):
        return self.node(cpu) // self.nodes

    def siblings(self, cpu):
        return [other for other in self.online if self.core(other) == self.core(cpu)]

    def sharers(self, cpu):
        return [other for other in self.online if self.core(other) // self.shared == self.core(cpu) // self.shared]

    def files(self):
        nodes = range(self.sockets * self.nodes)
        yield "node/possible", [*nodes]
        for node in nodes:
            yield f"node/node{node}/cpulist", [cpu for cpu in self.online if self.node(cpu) == node]
        for cpu in self.online:
            folder = f"cpu/cpu{cpu}"
            yield f"{folder}/topology/thread_siblings_list", self.siblings(cpu)
            yield f"{folder}/topology/physical_package_id", [self.package(cpu)]
            for index, level, kind, shared in ((0, 1, "Data", self.siblings(cpu)), (1, 1, "Instruction", self.siblings(cpu)),
                                               (2, 3, "Unified", self.sharers(cpu))):
                yield f"{folder}/cache/index{index}/level", [level]
                yield f"{folder}/cache/index{index}/type", [kind]
                yield f"{folder}/cache/index{index}/shared_cpu_list", shared

    def written_to(self, root):
        for path, values in self.files():
            file = root / "sys" / "devices" / "system" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(",".join(map(str, values)) + "\n")
        return str(root)

    def places(self):
        return "".join(f"{cpu} {self.node(cpu)} {self.package(cpu)} {min(self.siblings(cpu))} {min(self.sharers(cpu))}\n"
                       for cpu in self.allowed)


MACHINES = {
    "two sockets": Machine(2, 2, 4, 2, 2, gpus=(0, 1, 2, 3, 3, 1, 1)),
    "one node that says -1": Machine(threads=1, gpus=(-1, -1, -1)),
    "offline CPUs": Machine(2, 2, 4, 2, 2, offline={0, 1, 5, 17}, gpus=(0, 0, 1, 2)),
    "a narrow mask": Machine(2, 1, 8, 2, 4, forbidden={0, 1, 2, 9, 16, 20}, gpus=(0, 0, 0, 1)),
    "more GPUs than cores": Machine(1, 2, 2, 2, 2, gpus=(0, 0, 0, 1)),
    "no CPU of a GPU's node": Machine(2, 1, 2, 2, 2, forbidden={2, 3, 6, 7}, gpus=(0, 1)),
    "EPYC": Machine(2, 4, 16, 2, 8, gpus=(3, 3, 1, 1, 7, 7, 5, 5)),
}


def ours(program, machine, mode, gpu):
    done = subprocess.run([program, mode, str(gpu), *map(str, machine.gpus)], input=machine.places(), capture_output=True, text=True, check=False)
    return [int(word) for word in done.stdout.split()] if done.returncode == 0 else None


@pytest.fixture(scope="module")
def program():
    return Path(__file__).parents[3] / "build" / "dev" / "muster_numa_binding"


def test_ranks_are_bound_as_torch_binds_them(torch_python, program, tmp_path):
    folders = {name: machine.written_to(tmp_path / name) for name, machine in MACHINES.items()}
    cases = [(name, mode, gpu) for (name, machine), mode in itertools.product(MACHINES.items(), MODES) for gpu in range(len(machine.gpus))]
    asked = [(folders[name], MACHINES[name].allowed, MACHINES[name].gpus, mode, gpu) for name, mode, gpu in cases]
    done = subprocess.run([torch_python, Path(__file__).with_name("torch_numa.py")], input=json.dumps(asked), capture_output=True, text=True, check=True)
    torchs = dict(zip(cases, json.loads(done.stdout)))
    # torch reads the first CPU of every node and fails if a node has none; muster ignores such a node.
    del torchs["no CPU of a GPU's node", "socket", 0]
    assert {case: ours(program, MACHINES[case[0]], *case[1:]) for case in torchs} == torchs
    assert sum(cpus is None for cpus in torchs.values()) == 7
