# SPDX-License-Identifier: Apache-2.0
"""Connections set up in the user's ssh configuration, home folders that hosts share, and hosts that go away while muster is copied."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from waiting import wait_for

NAMES = "echo $(hostname) as $(id -un)"


@pytest.fixture
def own_settings(network):
    """The user's own ssh configuration, placed before that of the hosts' names."""
    config = network.here.file("/home/mia/.ssh/config")
    before = config.read_text()
    yield lambda text: config.write_text(text + before)
    config.write_text(before)


def run(desk, hosts, script=NAMES):
    return desk.muster("run", "--hosts", hosts, "--workdir", "/", "--", "sh", "-c", script)


def said(done):
    assert done.returncode == 0, done.stderr
    return sorted(line.partition("] ")[2] for line in done.stdout.splitlines())


def test_a_host_behind_another(network, hosts, desk, own_settings):
    """The host is reachable only through a1."""
    own_settings(f"Host far\n  HostName {hosts[1].address}\n  ProxyJump a1\n")
    network.here.run("ip", "route", "add", "blackhole", f"{hosts[1].address}/32")
    try:
        assert said(run(desk, "a3,far")) == ["a2 as mia", "a3 as mia"]
    finally:
        network.here.run("ip", "route", "del", "blackhole", f"{hosts[1].address}/32")


def test_matches_of_the_users_configuration_count(network, hosts, desk, own_settings):
    own_settings(f"Match originalhost gpu-* exec \"test %n = gpu-2\"\n  HostName {hosts[1].address}\n"
                 f"Match originalhost gpu-*\n  HostName {hosts[2].address}\n")
    assert said(run(desk, "gpu-2,gpu-3")) == ["a2 as mia", "a3 as mia"]


def test_a_user_with_dots(network, hosts, desk):
    uid = os.environ["SSH_TEST_UID"]
    passwd = hosts[1].folder / "passwd"
    before = passwd.read_text()
    passwd.write_text(f"mia.o_k-2:x:{uid}:{uid}::/home/mia:/bin/bash\n" + before)
    try:
        assert said(run(desk, "a1,mia.o_k-2@a2")) == ["a1 as mia", "a2 as mia.o_k-2"]
    finally:
        passwd.write_text(before)


@pytest.fixture
def shared_home(hosts):
    """Three hosts share one home folder, as on a file server."""
    folder = Path(tempfile.mkdtemp(dir="/dev/shm"))
    shutil.chown(folder, int(os.environ["SSH_TEST_UID"]), int(os.environ["SSH_TEST_UID"]))
    for host in hosts[:3]:
        host.run("mount", "--bind", folder, "/home/mia")
    yield folder
    for host in hosts[:3]:
        host.run("umount", "--lazy", "/home/mia")  # a process that is ending there may still use it
    shutil.rmtree(folder)


def test_hosts_with_one_home_get_muster_at_once(network, hosts, shared_home, desk):
    assert said(run(desk, "a1,a2,a3")) == ["a1 as mia", "a2 as mia", "a3 as mia"]
    wait_for(lambda: {".alone-a1", ".alone-a2", ".alone-a3", ".used", "muster"} == {file.name for file in shared_home.glob(".cache/muster/bin/*/*")},
             lambda: f"one build, and nothing else: {list(shared_home.glob('.cache/muster/bin/*/*'))}", 60)


@pytest.fixture
def slow_to_unpack(network, hosts):
    """On a2, unpacking waits until the test allows it."""
    for name in ("gzip", "zstd"):
        hosts[1].write(f"/run/slow/{name}", f"#!/bin/sh\ntouch /tmp/unpacks\nuntil test -e /tmp/on; do sleep 0.05; done\nexec /usr/bin/{name} \"$@\"\n", 0o755)
    hosts[1].serve(network.public_key, "SetEnv PATH=/run/slow:/usr/bin:/bin")


def unpacks(host):
    return host.file("/tmp/unpacks").exists()


def test_a_host_that_goes_away_while_muster_is_unpacked(network, hosts, desk, slow_to_unpack):
    words = network.words_of_muster("run", "--hosts", "a1,a2", "--workdir", "/", "--", "true")
    with subprocess.Popen(words, env=network.variables(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as first:
        wait_for(lambda: unpacks(hosts[1]), "a2 to unpack", 60)
        hosts[1].hang_up()
        said_last = first.stderr.read()
    assert first.returncode == 3 and "a2" in said_last, said_last
    hosts[1].run("touch", "/tmp/on")
    hosts[1].serve(network.public_key)
    assert said(run(desk, "a1,a2")) == ["a1 as mia", "a2 as mia"]
    wait_for(lambda: hosts[1].run("sh", "-c", "ls -A /home/mia/.cache/muster/bin/*").split() == [".alone-a2", ".used", "muster"],
             lambda: hosts[1].run("sh", "-c", "ls -A /home/mia/.cache/muster/bin/*"), 60)


def test_two_that_bring_muster_at_once(network, hosts, desk, slow_to_unpack):
    """Two controllers of one user copy muster to a new host at the same time: both jobs run."""
    words = network.words_of_muster("run", "--hosts", "a2", "--workdir", "/", "--", "sh", "-c", NAMES)
    runs = [subprocess.Popen(words, env=network.variables({"XDG_STATE_HOME": f"/home/mia/{name}", "XDG_CONFIG_HOME": f"/home/mia/{name}"}),
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for name in ("one", "two")]
    try:
        wait_for(lambda: sum("/usr/bin/gzip" in line or "/run/slow" in line for line in hosts[1].processes()) >= 2, "both to unpack", 60)
        hosts[1].run("touch", "/tmp/on")
        for each in runs:
            out, errors = each.communicate(timeout=120)
            assert each.returncode == 0 and "a2 as mia" in out, errors
    finally:
        for each in runs:
            each.kill()
            each.wait()
        for line in network.here.processes():
            if line.endswith(" serve"):
                network.here.run("kill", line.split()[0])
