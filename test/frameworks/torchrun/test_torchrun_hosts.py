# SPDX-License-Identifier: Apache-2.0
"""Started by hand on two hosts, here two commands of one machine: torchrun compared with `muster torchrun`."""

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

# Steps until rank 0 finds the file `enough`; reports every world that it is part of.
GOES_ON = """
import os, sys, torch, torch.distributed as dist
dist.init_process_group("gloo")
rank, world, restarts = dist.get_rank(), dist.get_world_size(), os.environ["TORCHELASTIC_RESTART_COUNT"]
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 1))
more, steps = torch.ones(1), 0
while more.item():
    model(torch.ones(2, 4) * rank).sum().backward()
    more[0] = not os.path.exists(os.path.join(sys.argv[1], "enough"))
    dist.broadcast(more, 0)
    steps += 1
    if steps == 3:
        open(os.path.join(sys.argv[1], f"met-{restarts}-{world}-{rank}"), "w").close()
print("world", world)
dist.destroy_process_group()
"""
# Reports its environment; before the first restart it waits for the file `lost`, and fails.
SHRINKS = """
import json, os, sys, threading
folder, restarts = sys.argv[1], os.environ["TORCHELASTIC_RESTART_COUNT"]
name = os.path.join(folder, f"{restarts}-{os.environ['RANK']}")
json.dump([os.getpid(), dict(os.environ)], open(name + ".part", "w"))
os.rename(name + ".part", name)
while restarts == "0" and not os.path.exists(os.path.join(folder, "lost")):
    threading.Event().wait(0.05)
raise SystemExit(restarts == "0")
"""


# torchrun's last call takes 30 s, after two imports of torch each, on a shared machine.
REAL_PATIENCE = 240


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
        return [self.start_one(launcher, "2", node, meet(node, port), words) for node in range(2)]

    def start_one(self, launcher, nodes, node, meet, words):
        return subprocess.Popen([*launcher, "--nnodes", nodes, "--nproc-per-node", "1" if node else "2", *meet, *map(str, words)],
                                env=self.env, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def elastic(self, launcher, port, words, last_call=2):
        """One to two hosts, of which the first listens; returns a function that runs the command on a host."""
        def conf(node):
            return f"last_call_timeout={last_call},is_host={1 - node},timeout={REAL_PATIENCE}"
        return lambda node: self.start_one(launcher, "1:2", node, [*c10d(0, port), "--rdzv-conf", conf(node)], words)

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


# With torchrun's c10d it is a race which host is first, so this is not compared.
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


def listening(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def both_of(start, port):
    first = start(0)
    wait_for(lambda: listening(port), "the first host to listen", 60)
    return first, start(1)


def shrunk(commands, launcher, last_call):
    """Environment of the first host's ranks after the other host was lost. Both commands start at once, and the last call is longer than
    one of them may be late: otherwise the first would begin alone."""
    out, port = commands.folder / launcher[-1].rpartition("/")[2], free_port()
    out.mkdir()
    script = commands.folder / "shrinks.py"
    script.write_text(SHRINKS)
    start = commands.elastic(launcher, port, ["--max-restarts", "2", script, out], last_call)
    first, other = start(0), start(1)
    wait_for(lambda: all((out / f"0-{rank}").exists() for rank in range(3)), lambda: f"all ranks: {first.poll()} {other.poll()}", REAL_PATIENCE)
    told = [json.loads((out / f"0-{rank}").read_text()) for rank in range(3)]
    other.kill()
    other.wait()
    for pid, env in told:
        if env["LOCAL_WORLD_SIZE"] == "1" and os.path.exists(f"/proc/{pid}"):  # torchrun does not remove it
            os.kill(pid, signal.SIGKILL)
    other.communicate()
    (out / "lost").touch()
    _, errors = first.communicate(timeout=240)
    assert first.returncode == 0, errors
    return [json.loads((out / f"1-{rank}").read_text())[1] for rank in range(2)]


def test_ranks_that_go_on_without_a_lost_host_are_told_the_same(commands, torch_python, muster_program):
    real = shrunk(commands, [torch_python, "-m", "torch.distributed.run"], 30)
    ours = shrunk(commands, [muster_program, "torchrun"], 10)
    on_purpose = [name for name in told_on_purpose() if name != "CUDA_VISIBLE_DEVICES"]
    assert [(one["WORLD_SIZE"], one["GROUP_WORLD_SIZE"], one["TORCHELASTIC_RESTART_COUNT"]) for one in ours] == [("2", "1", "1")] * 2
    for one, other in zip(real, ours, strict=True):
        found = differences(one, other)
        assert not {name: both for name, both in found.items() if not any(re.fullmatch(pattern, name) for pattern in on_purpose)}


def test_torch_goes_on_with_fewer_hosts_and_with_more_again(commands, muster_program):
    script, port = commands.folder / "train.py", free_port()
    script.write_text(GOES_ON)
    start = commands.elastic([muster_program, "torchrun"], port, ["--max-restarts", "1", script, commands.folder])
    first, lost = both_of(start, port)

    def met(restarts, world):
        names = [commands.folder / f"met-{restarts}-{world}-{rank}" for rank in range(world)]
        wait_for(lambda: all(name.exists() for name in names), lambda: f"{restarts} restarts, {world} ranks: {first.poll()}", 120)

    met(0, 3)
    lost.kill()
    lost.communicate()
    met(1, 2)
    again = start(1)
    met(1, 3)
    (commands.folder / "enough").touch()
    outputs = commands.end([first, again])
    assert [out.count("world 3") for out, _ in outputs] == [2, 1]
    assert "was lost: no report" in outputs[0][1] and "restarting with 2 hosts, 3 ranks" in outputs[0][1], outputs[0][1]
