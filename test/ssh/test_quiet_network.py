# SPDX-License-Identifier: Apache-2.0
"""muster listens on no port, and all its traffic goes through ssh."""

import subprocess

import pytest

from desk import let_go
from hosts import NETWORK
from waiting import wait_for

LASTING = "while [ ! -e /tmp/go ]; do sleep 0.1; done"
# Prints each pair of TCP or UDP addresses that communicate on the host's network once: "6 10.77.0.254:40312 10.77.0.1:22".
LISTENER = """
import socket, sys
heard, link = set(), socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
print("ready", flush=True)
while True:
    frame = link.recv(65535)
    if frame[12:14] != b"\\x08\\x00":
        continue  # ARP, and what IPv6 does to have an address
    packet = frame[14:]
    if packet[9] not in (6, 17):
        continue  # the kernel's own, IGMP
    ports = packet[(packet[0] & 15) * 4:][:4]
    ends = [f"{socket.inet_ntoa(packet[at:at + 4])}:{int.from_bytes(ports[half:half + 2], 'big')}" for at, half in ((12, 0), (16, 2))]
    line = f"{packet[9]} {ends[0]} {ends[1]}"
    if line not in heard:
        heard.add(line)
        print(line, flush=True)
"""


class Ear:
    """Records the traffic of a host's network from now on: [["6", "10.77.0.254:40312", "10.77.0.1:22"], …]"""

    def __init__(self, world):
        self.world, self.file = world, world.folder / "heard"
        with open(self.file, "wb") as out:
            self.process = subprocess.Popen(world.words("python3", "-c", LISTENER), stdin=subprocess.DEVNULL, stdout=out)
        wait_for(lambda: self.file.read_text().startswith("ready"), f"an ear on {world.name}", 30)

    def heard(self):
        return [line.split() for line in self.file.read_text().splitlines()[1:]]

    def end(self):
        self.world.run("pkill", "-f", "AF_PACKET")
        self.process.wait()


@pytest.fixture
def ears(network, hosts):
    ears = [Ear(world) for world in (network.here, *hosts[:2])]
    yield ears
    for ear in ears:
        ear.end()


def listening(world):
    """TCP and UDP ports there on which a process listens."""
    found = set()
    for table, state in (("tcp", "0A"), ("tcp6", "0A"), ("udp", "07"), ("udp6", "07")):
        for line in world.run("sh", "-c", f"cat /proc/net/{table} 2>/dev/null || true").splitlines()[1:]:
            fields = line.split()
            if fields[3] == state:
                found.add(int(fields[1].rpartition(":")[2], 16))
    return found


def test_a_job_on_hosts_opens_no_port_and_speaks_only_ssh(network, hosts, desk, ears):
    name = desk.submit(LASTING, "--restarts", "1", "--framework", "plain")  # without torch's store
    desk.wait_until(name, "running")
    assert listening(network.here) == set()
    assert [listening(host) for host in hosts[:2]] == [{22}, {22}]
    assert desk.muster("exec", name, "--rank", "1", "--", "hostname").stdout.strip() == "a2"
    let_go(hosts[:2])
    desk.wait_until(name, "succeeded")
    spoken = [line for ear in ears for line in ear.heard()]
    assert len(spoken) > 3, spoken
    assert [line for line in spoken if line[0] != "6" or not any(end.endswith(":22") for end in line[1:])] == []
    assert {end.rpartition(":")[0] for line in spoken for end in line[1:]} == {f"{NETWORK}.{number}" for number in (1, 2, 254)}
