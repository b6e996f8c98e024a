# SPDX-License-Identifier: Apache-2.0
"""Machines with IPv6 only, or with IPv6 and IPv4: `muster torchrun` started on both of them with their addresses."""

import json

import pytest

from commands import Running
from hosts import TORCH, USER, World, run
from waiting import wait_for

IPV6, IPV4 = "fd77::", "10.77.0.20"  # a number follows
PATIENCE = 120
# Meets in the store that muster serves, then over gloo, and prints the addresses.
MEETS = """
import json, os, socket
import torch, torch.distributed as dist
dist.init_process_group("gloo")
total = torch.ones(1) * (dist.get_rank() + 1)
dist.all_reduce(total)
print(json.dumps({"rank": dist.get_rank(), "on": socket.gethostname(), "store": os.environ["MASTER_ADDR"], "total": int(total)}), flush=True)
"""


class Machine(World):
    """Connected to the hosts' bridge by IPv6, and by IPv4 if given an address. It has no sshd."""

    def __init__(self, network, folder, number, ipv4=""):
        super().__init__(folder, f"six{number}")
        self.address, self.network = f"{IPV6}{number}", network
        hub = ["nsenter", "-t", network.hub.pid, "--net"]
        run(*hub, "ip", "link", "add", self.name, "type", "veth", "peer", "name", "eth0", "netns", self.pid)
        run(*hub, "ip", "link", "set", self.name, "master", "br0", "up")
        self.run("ip", "address", "add", f"{self.address}/64", "dev", "eth0", "nodad")  # otherwise the address is available only a second later
        if ipv4:
            self.run("ip", "address", "add", f"{ipv4}/24", "dev", "eth0")
        self.run("ip", "link", "set", "eth0", "up")
        run("cp", network.here.file("/run/muster/muster"), self.file("/run/muster/muster"))
        self.write(f"/home/{USER}/meets.py", MEETS)

    def torchrun(self, *words, more):
        arguments = self.words("/run/muster/muster", "torchrun", "--nnodes", "2", *words, f"/home/{USER}/meets.py", user=self.network.user)
        gloo = {"GLOO_SOCKET_IFNAME": "eth0"}  # otherwise it looks up the address of the machine's name
        return Running(arguments, self.folder / "torchrun", env=self.network.variables(gloo | more), cwd="/")


@pytest.fixture
def machines(network, torch, tmp_path):
    """`machines(ipv4="")` returns two machines with torch."""
    made = []

    def make(ipv4=""):
        for number in (1, 2):
            made.append(Machine(network, tmp_path, number, ipv4 and f"{ipv4}{number}"))
            made[-1].run("mount", "--bind", TORCH, f"/usr/local/lib/{torch.parent.name}/dist-packages")
        return made
    yield make
    for machine in made:
        machine.end()


def check_that_ranks_met(machines, commands):
    done = [command.end(PATIENCE) for command in commands]
    assert [each.code for each in done] == [0, 0], done
    assert [json.loads(each.out) for each in done] == [
        {"rank": rank, "on": machine.name, "store": machines[0].address, "total": 3} for rank, machine in enumerate(machines)]
    for machine in machines:
        wait_for(lambda machine=machine: machine.processes() == [], lambda machine=machine: f"nothing to run on {machine.name}: {machine.processes()}")


def test_hosts_without_ipv4_meet_at_an_endpoint_and_so_do_their_ranks(machines):
    first, other = machines()
    meet = ["--rdzv-backend", "c10d", "--rdzv-id", "six", "--rdzv-endpoint", f"[{first.address}]:29400"]
    check_that_ranks_met([first, other], [machine.torchrun(*meet, more={}) for machine in (first, other)])


def test_hosts_with_both_meet_by_node_rank_behind_a_token(machines):
    pair = machines(IPV4)
    meet = ["--master-addr", pair[0].address, "--master-port", 29400, "--node-rank"]
    check_that_ranks_met(pair, [machine.torchrun(*meet, rank, more={"MUSTER_TOKEN": "only-we-know-0123456789"}) for rank, machine in enumerate(pair)])
