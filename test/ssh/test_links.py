# SPDX-License-Identifier: Apache-2.0
"""Links to hosts over a real sshd: one connection for each host, shared by its sessions; and jobs whose connection is lost."""

import os
import time

import pexpect
import pytest

from desk import let_go, ranks_on
from hosts import run
from waiting import wait_for

LASTING = "while [ ! -e /tmp/go ]; do sleep 0.1; done; echo went $MUSTER_RANK"
TWO = ["--backend", "ssh", "--hosts", "a1,a2", "--workdir", "/"]


def masters(network):
    """Pids of the connections that sessions share."""
    return [line.split()[0] for line in network.here.processes() if line.endswith("[mux]")]


def logins(host):
    return (host.folder / "sshd.log").read_text().count("Accepted publickey")


def relays(host):
    return ranks_on(host, " relay --")


@pytest.fixture
def own_settings(network):
    """Replaces the user's ssh configuration; the usual one is restored after the test."""
    yield lambda text: network.here.write("/home/mia/.ssh/config", text + network.aliases(), 0o600)
    network.here.write("/home/mia/.ssh/config", network.aliases(), 0o600)


def test_a_host_is_logged_in_to_once_for_all_and_a_while_later_nothing_is_left(network, hosts, desk):
    before = [logins(host) for host in hosts]
    took = []
    for _ in range(3):
        began = time.monotonic()
        done = desk.muster("run", *TWO, "--", "true")
        took.append(round(time.monotonic() - began, 2))
        assert done.returncode == 0, done.stderr
    print("seconds a job took:", took)
    assert [logins(host) - old for host, old in zip(hosts, before, strict=True)] == [1, 1] + [0] * (len(hosts) - 2)
    assert len(masters(network)) == 2
    wait_for(lambda: not masters(network), "connections that nobody uses to end", 120)
    assert "ssh-" not in network.here.run("sh", "-c", "ls /tmp/muster-*")


def test_the_users_own_shared_connection_is_used(network, hosts, desk, own_settings):
    own_settings("Host *\n  ControlMaster auto\n  ControlPath /tmp/own-%C\n  ControlPersist 20\n")
    assert desk.muster("run", *TWO, "--", "true").returncode == 0
    assert "ssh-" not in network.here.run("sh", "-c", "ls /tmp/muster-*")
    assert len(network.here.run("sh", "-c", "ls -d /tmp/own-*").split()) == 2
    wait_for(lambda: not masters(network), "connections that nobody uses to end", 60)


def test_a_connection_that_the_user_opened_is_used(network, hosts, desk, own_settings):
    """The user ran `ssh a1` in another terminal: muster does not log in again."""
    own_settings("Host *\n  ControlPath /tmp/own-%C\n")
    for host in hosts[:2]:
        network.as_user("sh", "-c", f"ssh -fN -o ControlMaster=yes {host.name} >/dev/null 2>&1")  # no process waits for the end of its output
    before = [logins(host) for host in hosts[:2]]
    try:
        done = desk.muster("run", *TWO, "--", "sh", "-c", "echo rank $MUSTER_RANK")
        assert done.returncode == 0 and "rank 1" in done.stdout, done.stderr
        assert [logins(host) for host in hosts[:2]] == before
    finally:
        for host in hosts[:2]:
            network.as_user("ssh", "-O", "exit", host.name)
    wait_for(lambda: not masters(network), "the user's connections to end", 60)


def test_sessions_over_a_connection_bring_along_what_ssh_sends(network, hosts, desk, own_settings):
    own_settings("Host *\n  SendEnv OWN_*\n  SetEnv ALWAYS=yes\n")
    hosts[0].serve(network.public_key, "AcceptEnv *")
    for _ in range(2):
        done = network.muster("run", "-q", "--hosts", "a1", "--workdir", "/", "--", "env", more={"OWN_WAY": "here", "ANOTHERS": "x"})
        assert done.returncode == 0, done.stderr
        assert "OWN_WAY=here" in done.stdout and "ALWAYS=yes" in done.stdout and "ANOTHERS=" not in done.stdout
    assert not [line for line in network.here.processes() if "ssh " in line and not line.endswith("[mux]")]


def test_more_sessions_than_a_host_allows_a_connection(network, hosts, desk):
    hosts[0].serve(network.public_key, "MaxSessions 2")
    names = [desk.submit(LASTING, hosts="a1") for _ in range(4)]
    for name in names:
        desk.wait_until(name, "running")
    let_go(hosts[:1])
    for name in names:
        desk.wait_until(name, "succeeded")


def test_a_connection_that_hangs_holds_nobody_up_for_long(network, hosts, desk):
    assert desk.muster("hosts", "--hosts", "a1").returncode == 0
    frozen = masters(network)
    network.here.run("kill", "-STOP", *frozen)
    assert desk.muster("run", "--backend", "ssh", "--hosts", "a1", "--workdir", "/", "--", "true").returncode == 0
    network.here.run("kill", "-9", *frozen)


def test_a_master_that_is_killed_is_a_link_that_is_lost(network, hosts, desk):
    name = desk.submit(LASTING)
    desk.wait_until(name, "running")
    before = wait_for(lambda: relays(hosts[0]), "a relay on a1", 60)
    network.here.run("kill", "-9", *masters(network))
    wait_for(lambda: relays(hosts[0]) not in ([], before), "another relay on a1", 60)
    let_go(hosts[:2])
    desk.wait_until(name, "succeeded")
    assert desk.job(name)["attempt"] == 1


def test_a_second_relay_takes_over_from_one_that_is_frozen(network, hosts, desk):
    name = desk.submit(LASTING)
    desk.wait_until(name, "running")
    hosts[0].run("kill", "-STOP", *relays(hosts[0]))
    network.here.run("kill", "-9", *masters(network))
    frozen = relays(hosts[0])
    wait_for(lambda: relays(hosts[0]) and not set(relays(hosts[0])) & set(frozen), "another relay on a1", 60)
    let_go(hosts[:2])
    desk.wait_until(name, "succeeded")
    assert desk.job(name)["attempt"] == 1


def restart(host):
    """Restarts the host, as if its machine had rebooted."""
    host.hang_up()
    host.run("sh", "-c", "for p in $(ps -eo pid,args --no-headers | grep -v 'sleep infinity' | awk '$1 != 1 {print $1}'); do kill -9 $p 2>/dev/null; done; "
             "rm -rf /tmp/* /var/tmp/* /run/muster/*; true")


def test_a_host_that_restarts_begins_the_next_attempt(network, hosts, desk):
    name = desk.submit(LASTING, "--restarts", "1")
    desk.wait_until(name, "running")
    restart(hosts[0])
    desk.wait_for_event(name, "the link to a1 is lost")
    assert desk.job(name)["attempt"] == 1
    hosts[0].serve(network.public_key)
    wait_for(lambda: desk.job(name)["attempt"] == 2 and ranks_on(hosts[0], "/tmp/go"), lambda: desk.events(name), 90)
    let_go(hosts[:2])
    desk.wait_until(name, "succeeded")
    assert "its agent no longer runs on a1" in desk.events(name)


def test_a_key_that_is_removed_between_attempts_is_waited_for(network, hosts, desk):
    name = desk.submit(LASTING, "--restarts", "1")
    desk.wait_until(name, "running")
    before = wait_for(lambda: ranks_on(hosts[0], "/tmp/go"), "a rank on a1", 60)
    hosts[0].write("/run/authorized", "")
    network.here.run("sh", "-c", "rm /tmp/muster-*/ssh-*")
    hosts[0].run("kill", "-9", *ranks_on(hosts[0], " agent --socket"))
    desk.wait_for_event(name, "connecting to a1 needs your input: it refused the ssh login; run muster attach " + name, 90)
    assert desk.job(name)["asking_hosts"] == ["a1"]
    hosts[0].write("/run/authorized", network.public_key)
    wait_for(lambda: ranks_on(hosts[0], "/tmp/go") not in ([], before), lambda: desk.events(name), 90)
    let_go(hosts[:2])
    desk.wait_until(name, "succeeded")
    assert desk.job(name)["attempt"] == 2


def test_a_host_key_that_changed_is_refused_and_said(network, hosts, desk):
    name = desk.submit(LASTING)
    desk.wait_until(name, "running")
    before = wait_for(lambda: relays(hosts[0]), "a relay on a1", 60)
    usual = hosts[0].file("/run/host_key").read_text()
    run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", hosts[0].folder / "another_key")
    hosts[0].hang_up()
    hosts[0].write("/run/host_key", (hosts[0].folder / "another_key").read_text(), 0o600)
    hosts[0].serve(network.public_key)
    try:
        desk.wait_for_event(name, "the link to a1 is lost: its host key differs from the one in known_hosts")
        assert not set(relays(hosts[0])) - set(before)
    finally:
        hosts[0].write("/run/host_key", usual, 0o600)
        hosts[0].serve(network.public_key)
        for key in ("another_key", "another_key.pub"):
            (hosts[0].folder / key).unlink()
    let_go(hosts[:2])
    desk.wait_until(name, "succeeded", 90)
    assert desk.job(name)["attempt"] == 1


def cable(network, host, state):
    run("nsenter", "-t", network.hub.pid, "--net", "ip", "link", "set", f"v{host.address.rsplit('.', 1)[1]}", state)


def test_a_cable_that_is_out_for_a_while(network, hosts, desk):
    name = desk.submit(LASTING)
    desk.wait_until(name, "running")
    cable(network, hosts[0], "down")
    try:
        # Longer than the time after which a silent connection is closed, plus one retry.
        desk.wait_for_event(name, "the link to a1 is lost", 120)
        let_go(hosts[:2])
    finally:
        cable(network, hosts[0], "up")
    desk.wait_until(name, "succeeded", 120)
    assert desk.job(name)["attempt"] == 1
    assert "went 0" in desk.muster("logs", name).stdout


@pytest.mark.parametrize("deaf", ["host", "here"])
def test_a_way_that_carries_nothing_in_one_direction(network, hosts, desk, deaf):
    """Packets in one direction go to a machine that does not exist; those in the other direction arrive."""
    name = desk.submit(LASTING)
    desk.wait_until(name, "running")
    before = wait_for(lambda: ranks_on(hosts[0], "/tmp/go"), "a rank on a1", 60)
    world, other = (network.here, hosts[0].address) if deaf == "host" else (hosts[0], network.here.address)
    world.run("ip", "neigh", "replace", other, "lladdr", "02:00:00:00:00:01", "nud", "permanent", "dev", "eth0")
    try:
        desk.wait_for_event(name, "the link to a1 is lost", 120)
        assert ranks_on(hosts[0], "/tmp/go") == before
        let_go(hosts[:2])
    finally:
        world.run("ip", "neigh", "del", other, "dev", "eth0")
    desk.wait_until(name, "succeeded", 120)
    assert desk.job(name)["attempt"] == 1
    assert "went 0" in desk.muster("logs", name).stdout


def test_half_of_the_hosts_gone_and_back(network, hosts, desk):
    name = desk.submit(LASTING, hosts="a1,a2,a3")
    desk.wait_until(name, "running")
    for host in hosts[:2]:
        host.hang_up()
    for host in hosts[:2]:
        desk.wait_for_event(name, f"the link to {host.name} is lost")
        host.serve(network.public_key)
    let_go(hosts)
    desk.wait_until(name, "succeeded", 90)
    assert desk.job(name)["attempt"] == 1


def test_a_slow_host(network, hosts, desk):
    hosts[0].write("/home/mia/.bashrc", "sleep 12\n")
    done = desk.muster("run", *TWO, "--", "sh", "-c", "echo rank $MUSTER_RANK")
    assert done.returncode == 0, done.stderr
    assert "rank 0" in done.stdout and "rank 1" in done.stdout


def test_a_passphrase_is_asked_for_where_the_job_is_followed(network, hosts, desk):
    user = os.environ["SSH_TEST_UID"]
    key = "/home/mia/.ssh/id_ed25519"
    usual = network.here.file(key).read_text()
    name = desk.submit(LASTING)
    desk.wait_until(name, "running")
    network.here.run("ssh-keygen", "-q", "-p", "-P", "", "-N", "open sesame", "-f", key)
    network.here.run("chown", user, key)
    hosts[0].hang_up()
    hosts[0].serve(network.public_key)
    try:
        desk.wait_for_event(name, "connecting to a1 needs your input: it refused the ssh login; run muster attach " + name, 90)
        words = network.words_of_muster("attach", name)
        child = pexpect.spawn(words[0], words[1:], env=network.variables({"TERM": "dumb"}), cwd="/", timeout=60, encoding="utf-8", dimensions=(40, 160))
        child.expect("a1 asks:")
        child.expect("passphrase")
        child.sendline("open sesame")
        child.expect("ssh to a1 works now")
        desk.wait_for_event(name, "a1 is reachable again", 90)
        let_go(hosts[:2])
        child.expect("went 0")
        child.expect(pexpect.EOF)
    finally:
        network.here.write(key, usual, 0o600)
    desk.wait_until(name, "succeeded")
    assert desk.job(name)["attempt"] == 1
