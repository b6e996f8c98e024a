# SPDX-License-Identifier: Apache-2.0
"""The examples on hosts: the same job file runs there once hosts are named, and the losses are the same."""

import json
import re
from pathlib import Path

import pytest

from desk import Desk, left_in_folders
from hosts import BUILD
from pictures import write_pictures
from waiting import wait_for

PROJECT = Path(__file__).parents[2]
PROGRAM = BUILD / "fashion_mnist"
HERE = "/home/mia/fashion"
EVERYWHERE = ["--backend", "ssh", "--hosts", "a1,a2,a3,a4"]
PLAIN_JOB = """
name: fashion
framework: plain
nodes: 4
command: [{program}, --data, data, --epochs, "2", --batch, "64", --losses, fashion.losses]
workdir: {{sync: true}}
"""
TORCH_JOB = """
name: ddp
framework: torch
nodes: 4
command: [python3, train.py, --data, data, --epochs, "2", --batch, "16"]
workdir: {sync: true}
env: {OMP_NUM_THREADS: 1}
restarts: {limit: 0}
"""


@pytest.fixture
def desk(network, hosts):
    """A folder with data; muster is installed only on this machine."""
    desk = Desk(network)
    network.here.run("mkdir", "-p", f"{HERE}/data")
    write_pictures(network.here.file(f"{HERE}/data"))
    network.here.write(f"{HERE}/train.py", (PROJECT / "examples/torch_ddp/train.py").read_text())
    yield desk
    desk.end()
    for host in hosts:
        wait_for(lambda host=host: host.processes() == [], lambda host=host: f"nothing to run on {host.name}: {host.processes()}", 60)
        wait_for(lambda host=host: left_in_folders(host) == [], lambda host=host: f"nothing to lie on {host.name}: {left_in_folders(host)}", 60)
    network.here.run("rm", "-rf", HERE)


def run(desk, job, *words, text=None):
    if text:
        desk.network.here.write(f"{HERE}/{job}", text)
    done = desk.muster("run", f"{HERE}/{job}", *words, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def losses(text):
    """The losses of each epoch and at the end, without the speed."""
    found = re.findall(r"epoch \d+/\d+ loss \S+ accuracy \S+|accuracy \S+ %", text)
    assert found, text
    return found


def words_of_ranks(text):
    """Lines without their rank prefixes."""
    return sorted(line.split("] ", 1)[-1] for line in text.splitlines())


def test_the_program_in_cpp_has_the_losses_of_one_machine(network, hosts, desk):
    text = PLAIN_JOB.format(program=PROGRAM)
    run(desk, "fashion.yaml", "--backend", "local", text=text)
    mine = network.here.file(f"{HERE}/fashion.losses").read_text()
    network.here.run("rm", f"{HERE}/fashion.losses")
    run(desk, "fashion.yaml", *EVERYWHERE)
    assert desk.muster("fetch", "@last", "fashion.losses", "--to", f"{HERE}/there").returncode == 0
    assert network.here.file(f"{HERE}/there/fashion.losses").read_text() == mine
    assert len(mine.splitlines()) == 10


def test_ddp_has_the_losses_of_one_machine(network, hosts, desk, torch):
    mine = run(desk, "ddp.yaml", "--backend", "local", text=TORCH_JOB).stdout
    theirs = run(desk, "ddp.yaml", *EVERYWHERE).stdout
    assert "4 ranks" in theirs and losses(theirs) == losses(mine)


@pytest.mark.parametrize("store", ["hosted", "proxy", "program"])
def test_a_script_without_a_file_whoever_serves_the_store(network, hosts, desk, torch, store):
    script = """import os, socket, torch, torch.distributed as dist
dist.init_process_group("gloo")
sum = torch.ones(1)
dist.all_reduce(sum)
print(dist.get_rank(), socket.gethostname(), os.environ["MASTER_ADDR"], os.environ["GLOO_SOCKET_IFNAME"], int(sum), flush=True)
"""
    network.here.write(f"{HERE}/say.py", script)
    done = desk.muster("run", "--hosts", "a1,a2", "--framework", "torch", "--set", f"store={store}", "--set", "workdir.sync=true", "--workdir", HERE, "--",
                       "python3", "say.py")
    assert done.returncode == 0, done.stderr
    second = "127.0.0.1" if store == "proxy" else hosts[0].address  # its own store proxy
    assert words_of_ranks(done.stdout) == [f"0 a1 {hosts[0].address} eth0 2", f"1 a2 {second} eth0 2"]


def test_one_host_is_as_good(network, hosts, desk, torch):
    done = desk.muster("run", "--hosts", "a3", "--workdir", "/", "--", "sh", "-c", "echo $GLOO_SOCKET_IFNAME")
    assert words_of_ranks(done.stdout) == ["lo"], "Gloo would wait for a name server"
    done = run(desk, "ddp.yaml", "--hosts", "a3", "--set", "nodes=1", "--set", "workers=2", text=TORCH_JOB)
    assert "2 ranks" in done.stdout


def test_so_many_ranks_as_hosts_have_slots(network, hosts, desk):
    done = desk.muster("run", "-n", "4", "--hosts", "a1:4,a2:4", "--workdir", "/", "--", "sh", "-c", "echo $MUSTER_RANK $(hostname)")
    assert done.returncode == 0, done.stderr
    assert words_of_ranks(done.stdout) == [f"{rank} a{1 + rank // 4}" for rank in range(8)]


def test_what_looks_at_jobs_looks_at_hosts_too(network, hosts, desk):
    """Every viewing command once, on a running job and on a failed one."""
    name = desk.submit("echo here is $MUSTER_RANK; while [ ! -e /tmp/go ]; do sleep 0.1; done; exit $MUSTER_RANK", "--restarts", "0")
    desk.wait_until(name, "running")
    wait_for(lambda: "here is 1" in desk.muster("logs", name).stdout, "what rank 1 printed", 60)
    done = desk.muster("exec", name, "--rank", "1", "--", "hostname")
    assert (done.returncode, done.stdout) == (0, "a2\n"), done.stderr
    done = desk.muster("exec", name, "--rank", "0", "--", "sh", "-c", "echo $MUSTER_RANK; exit 9")
    assert (done.returncode, done.stdout) == (9, "0\n"), done.stderr
    shown, = (job for job in json.loads(desk.muster("top", "-o", "json").stdout)["jobs"] if job["name"] == name)
    assert [(rank["host"], rank["memory_bytes"] > 0) for rank in shown["ranks"]] == [("a1", True), ("a2", True)]
    assert "2 ranks on a1, a2" in desk.muster("describe", name).stdout
    assert name in desk.muster("ps").stdout
    for host in hosts[:2]:
        host.run("touch", "/tmp/go")
    desk.wait_until(name, "failed")
    assert "Rank 1 on a2 exited with code 1." in desk.muster("why", name).stdout
    assert "rank 1 on a2 exited with code 1" in desk.events(name)
