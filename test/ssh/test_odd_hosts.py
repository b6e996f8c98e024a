# SPDX-License-Identifier: Apache-2.0
"""Unusual hosts: this very machine, hosts with IPv6 only, a host whose clock is wrong."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from hosts import BUILD
from pictures import write_pictures

HERE = "/home/mia/fashion"
PROGRAM = BUILD / "fashion_mnist"
# A clock for programs there that is one hour late.
AHEAD = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>
int clock_gettime(clockid_t clock, struct timespec* time) {
  int (*real)(clockid_t, struct timespec*) = (int (*)(clockid_t, struct timespec*))dlsym(RTLD_NEXT, "clock_gettime");
  int done = real(clock, time);
  if (done == 0 && clock == CLOCK_REALTIME) time->tv_sec += 3600;
  return done;
}
"""


def test_this_machine_is_a_host_like_others(network, hosts, desk):
    here = network.here
    network.know([*hosts, here])
    words = ["run", "--hosts", f"{here.address},a1", "--workdir", "/", "--", "sh", "-c", "echo $MUSTER_RANK is on $(hostname)"]
    refused = desk.muster(*words)
    assert refused.returncode == 3 and f"{here.address}: the ssh connection was refused" in refused.stderr, refused.stderr
    here.serve(network.public_key)
    try:
        done = desk.muster(*words)
    finally:
        here.hang_up()
    assert done.returncode == 0, done.stderr
    assert "0 is on here" in done.stdout and "1 is on a1" in done.stdout, done.stdout


def six(number):
    return f"fd00:77::{number}"


@pytest.fixture
def ipv6_only(network, hosts):
    """Two hosts and this machine have only IPv6 addresses, and so do their sshds."""
    if not Path("/proc/net/if_inet6").exists():
        pytest.skip("this machine has no IPv6")
    worlds = {254: network.here, 1: hosts[0], 2: hosts[1]}
    for number, world in worlds.items():
        world.run("ip", "address", "add", f"{six(number)}/64", "dev", "eth0", "nodad")
    for number, host in enumerate(hosts[:2], 1):
        host.serve(network.public_key, f"ListenAddress [{six(number)}]:22")
    for world in worlds.values():
        world.run("ip", "-4", "address", "flush", "dev", "eth0")
    network.here.write("/home/mia/.ssh/config", "".join(f"Host a{number}\n  HostName {six(number)}\n" for number in (1, 2)), 0o600)
    network.here.write("/home/mia/.ssh/known_hosts", "".join(f"{six(number)} {hosts[number - 1].public_key}" for number in (1, 2)), 0o600)
    yield
    for number, world in worlds.items():
        world.run("ip", "address", "add", f"{world.address}/24", "dev", "eth0")
        world.run("ip", "address", "del", f"{six(number)}/64", "dev", "eth0")
    network.here.write("/home/mia/.ssh/config", network.aliases(), 0o600)


def test_hosts_that_have_ipv6_only(network, hosts, ipv6_only, desk):
    """A program that meets and trains: its store and its data use the network between hosts."""
    network.here.run("mkdir", "-p", f"{HERE}/data")
    write_pictures(network.here.file(f"{HERE}/data"))
    words = ["--hosts", "a1,a2", "--set", "workdir.sync=true", "--workdir", HERE, "--", PROGRAM, "--data", "data", "--epochs", "1", "--batch", "64"]
    plan = desk.muster("render", "-o", "json", *words)
    assert [rank["environment"]["MUSTER_ADDRESS"] for rank in json.loads(plan.stdout)["ranks"]] == [six(1), six(2)], plan.stderr
    done = desk.muster("run", *words)
    network.here.run("rm", "-rf", HERE)
    assert done.returncode == 0, done.stderr


def test_a_host_whose_clock_is_an_hour_ahead(network, hosts, desk, tmp_path):
    (tmp_path / "ahead.c").write_text(AHEAD)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", hosts[0].file("/run/ahead.so"), tmp_path / "ahead.c", "-ldl"], check=True)
    hosts[0].serve(network.public_key, "SetEnv LD_PRELOAD=/run/ahead.so")
    said = network.muster("hosts", "--hosts", "a1,a2")
    assert re.search(r"the clock of a1 is 3(599|600)\.\d s ahead of this machine's", said.stdout + said.stderr), said.stdout + said.stderr
    name = desk.submit("echo it is $(date +%s)")
    desk.wait_until(name, "succeeded")
    first, second = sorted((int(line.split()[-1]) for line in desk.muster("logs", name).stdout.splitlines() if "it is" in line), reverse=True)
    assert first - second > 3000, "the shim is what it is meant to be"
    assert "min" not in desk.job(name)["sentence"], desk.job(name)["sentence"]
