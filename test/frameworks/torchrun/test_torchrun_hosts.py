"""Typed on two hosts, here two commands of one machine: the real torchrun beside `muster torchrun`."""

import json
import os
import re
import signal
import socket
import subprocess

import pytest
from test_torchrun_env import DUMP, differences, told_on_purpose
from waiting import wait_for

TRAINS = """
import os, sys, torch, torch.distributed as dist
dist.init_process_group("gloo")
restarts, rank = int(os.environ["TORCHELASTIC_RESTART_COUNT"]), dist.get_rank()
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 1))
for step in range(3):
    model(torch.ones(2, 4) * rank).sum().backward()
open(os.path.join(sys.argv[1], f"met-{restarts}-{rank}"), "w").write(str(os.getpid()))
while restarts < int(sys.argv[2]):
    dist.barrier()
total = torch.ones(1) * rank
dist.all_reduce(total)
print("sum", total.item())
dist.destroy_process_group()
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def static(node, port):
    return ["--node-rank", str(node), "--master-addr", "127.0.0.1", "--master-port", str(port)]


def c10d(_, port):
    return ["--rdzv-backend", "c10d", "--rdzv-endpoint", f"127.0.0.1:{port}", "--rdzv-id", "mine"]


class Commands:
    """The same command on both hosts: 2 ranks on the first, 1 on the other."""

    def __init__(self, folder, python):
        self.folder = folder
        self.env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(folder), "PYTHON_EXEC": python, "MUSTER_STATE_DIR": str(folder / "state")}

    def start(self, launcher, meet, words):
        port = free_port()
        return [subprocess.Popen([*launcher, "--nnodes", "2", "--nproc-per-node", str(ranks), *meet(node, port), *map(str, words)],
                                 env=self.env, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                for node, ranks in enumerate((2, 1))]

    @staticmethod
    def end(both):
        outputs = [command.communicate(timeout=240) for command in both]
        assert [command.returncode for command in both] == [0, 0], outputs
        return outputs


@pytest.fixture
def commands(tmp_path, torch_python):
    return Commands(tmp_path, torch_python)


def environments(commands, launcher, meet):
    out = commands.folder / launcher[-1].rpartition("/")[2]
    out.mkdir()
    script = commands.folder / "dump.py"
    script.write_text(DUMP)
    commands.end(commands.start(launcher, meet, [script, out]))
    return [json.loads((out / name).read_text())[1] for name in sorted(os.listdir(out))]


# Which host is first is a race under torchrun's c10d, so it is left out here.
def test_ranks_of_both_hosts_are_told_the_same(commands, torch_python, muster_program):
    real = environments(commands, [torch_python, "-m", "torch.distributed.run"], static)
    ours = environments(commands, [muster_program, "torchrun"], static)
    assert len(real) == len(ours) == 3
    on_purpose = [name for name in told_on_purpose() if name != "CUDA_VISIBLE_DEVICES"]
    for one, other in zip(real, ours, strict=True):
        found = differences(one, other)
        assert not {name: both for name, both in found.items() if not any(re.fullmatch(pattern, name) for pattern in on_purpose)}


@pytest.mark.parametrize("meet", [static, c10d])
def test_torch_meets_across_hosts_and_again_after_each_kill(commands, muster_program, meet):
    script = commands.folder / "train.py"
    script.write_text(TRAINS)
    both = commands.start([muster_program, "torchrun"], meet, ["--max-restarts", "3", script, commands.folder, 3])
    for restart, victim in enumerate((2, 0, 1)):
        met = [commands.folder / f"met-{restart}-{rank}" for rank in range(3)]
        wait_for(lambda met=met: all(path.exists() and path.read_text() for path in met), lambda: f"attempt {restart + 1}: {[command.poll() for command in both]}", 120)
        os.kill(int(met[victim].read_text()), signal.SIGKILL)
    outputs = commands.end(both)
    assert sorted("".join(out for out, _ in outputs).split("\n")) == ["", "sum 3.0", "sum 3.0", "sum 3.0"]
