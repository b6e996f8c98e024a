# SPDX-License-Identifier: Apache-2.0
"""muster hosts over a real sshd: the copies, the checks, and the error messages."""

import json
import signal
import subprocess

import pexpect
import pytest

from desk import let_go, ranks_on
from waiting import wait_for


def asked(network, names="a1,a2,a3", *words, **options):
    done = network.muster("hosts", "--hosts", names, "-o", "json", *words, **options)
    assert done.stdout, done.stderr
    return done.returncode, {each["name"]: each for each in json.loads(done.stdout)["hosts"]}


def installed(host, cache="/home/mia/.cache/muster"):
    return host.run("sh", "-c", f"ls {cache}/bin/*/muster 2>/dev/null || true").split()


def test_hosts_say_what_they_have(network, hosts):
    code, found = asked(network)
    assert code == 0, found
    assert [each["facts"]["host"] for each in found.values()] == ["a1", "a2", "a3"]
    facts = found["a1"]["facts"]
    assert facts["user"] == "mia" and facts["cpus"] > 0 and facts["memory_bytes"] > 2**28 and facts["python"].startswith("3.")
    assert facts["addresses"] == [{"nic": "eth0", "address": hosts[0].address, "prefix": 24, "mbit": facts["addresses"][0]["mbit"]}]
    assert abs(found["a1"]["clock"]["ahead_seconds"]) <= found["a1"]["clock"]["unsure_seconds"]
    table = network.muster("hosts", "--hosts", "a1:4,a2").stdout.splitlines()
    assert table[0].split()[:3] == ["HOST", "SLOTS", "CPUS"] and table[1].split()[:2] == ["a1", "4"]


def test_a_build_is_copied_once_and_by_its_content(network, hosts):
    _, first = asked(network, "a1")
    assert first["a1"]["sent_bytes"] > 2**20
    assert first["a1"]["folder"] == "/home/mia/.cache/muster"
    copy, = installed(hosts[0])
    assert hosts[0].run("stat", "-c", "%a %U", copy).split() == ["700", "mia"]
    _, again = asked(network, "a1")
    assert again["a1"]["sent_bytes"] == 0 and installed(hosts[0]) == [copy]


def test_a_host_is_forgotten(network, hosts, desk):
    name = desk.submit("while [ ! -e /tmp/go ]; do sleep 0.1; done", hosts="a1")
    wait_for(lambda: ranks_on(hosts[0], "/tmp/go"), "a rank", 60)
    done = network.muster("hosts", "--hosts", "a1,a2", "--forget")
    assert done.returncode == 1 and "a2: removed everything in /home/mia/.cache/muster" in done.stdout, done.stdout
    assert "jobs still run there" in done.stderr and installed(hosts[0]), done.stderr
    assert hosts[1].run("ls", "-A", "/home/mia/.cache").split() == []
    let_go(hosts[:1])
    desk.wait_until(name, "succeeded")
    wait_for(lambda: network.muster("hosts", "--hosts", "a1", "--forget").returncode == 0, "a1 to be forgotten", 60)
    assert hosts[0].run("ls", "-A", "/home/mia/.cache").split() == []


def test_many_hosts_behind_one_sshd_are_let_in_few_at_a_time(network, hosts):
    """Connections that muster opens at the same time, plus those whose end the sshd has not seen yet: at most twice eight."""
    hosts[0].serve(network.public_key, "MaxStartups 17:100:17")
    names = [f"p{number}" for number in range(1, 25)]
    network.here.write("/home/mia/.ssh/config", f"Host p*\n  HostName {hosts[0].address}\n", 0o600)
    try:
        code, found = asked(network, ",".join(names))
    finally:
        network.here.write("/home/mia/.ssh/config", network.aliases(), 0o600)
    assert code == 0 and len(found) == len(names), found


def test_an_sshd_that_is_asked_too_often_is_named(network, hosts):
    hosts[0].serve(network.public_key, "MaxStartups 1")
    words = network.here.words("bash", "-c", f"exec 3<>/dev/tcp/{hosts[0].address}/22; read -r hello <&3; echo $hello; exec sleep 600")
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as stranger:
        assert stranger.stdout.readline().startswith(b"SSH-2.0")
        done = network.muster("hosts", "--hosts", "a1,a2")
        stranger.terminate()
    assert done.returncode == 3 and "a1: its sshd closed the connection at once; it may have too many logins at the same time" in done.stderr, done.stderr
    assert "MaxStartups" in done.stderr and done.stdout.splitlines()[1].startswith("a2")


@pytest.mark.parametrize("shell", ["/bin/sh", "/bin/bash", "/usr/bin/fish", "/bin/zsh", "/bin/csh"])
def test_any_login_shell_and_its_noise(network, hosts, shell):
    host = hosts[0]
    before = host.file("/etc/passwd").read_text()
    (host.folder / "passwd").write_text(before.replace("/bin/bash", shell))
    noise = "echo Welcome to a1; printf 'no end of line'\n"
    host.write("/home/mia/.bashrc", noise)
    host.write("/home/mia/.zshenv", noise)
    host.write("/home/mia/.cshrc", "echo Welcome\n")
    host.write("/home/mia/.config/fish/config.fish", "echo Welcome\n")
    try:
        code, found = asked(network, "a1")
    finally:
        (host.folder / "passwd").write_text(before)
    assert code == 0, found


def test_a_home_that_cannot_be_written_is_no_hindrance(network, hosts):
    hosts[0].run("sh", "-c", "chown root /home/mia; chmod 555 /home/mia")
    _, found = asked(network, "a1")
    hosts[0].run("chmod", "755", "/home/mia")
    assert found["a1"]["folder"].startswith("/var/tmp/muster-cache-")


def test_a_file_system_that_does_not_execute_is_passed_over(network, hosts):
    hosts[0].run("sh", "-c", "mkdir -p /home/mia/.cache && mount -t tmpfs -o noexec,mode=1777 tmpfs /home/mia/.cache")
    try:
        _, found = asked(network, "a1")
        assert found["a1"]["folder"].startswith("/var/tmp/muster-cache-")
        hosts[0].run("sh", "-c", "rm -rf /var/tmp/*; mount -o remount,noexec /var/tmp; mount -o remount,noexec /tmp")
        code, found = asked(network, "a1")
        assert code == 3 and "no folder where programs may run" in found["a1"]["error"]
    finally:
        hosts[0].run("sh", "-c", "umount /home/mia/.cache; mount -o remount,exec /var/tmp; mount -o remount,exec /tmp")


def test_a_full_disk_leaves_no_half_of_it(network, hosts):
    hosts[0].run("sh", "-c", "mkdir -p /home/mia/.cache && mount -t tmpfs -o size=1m,mode=1777 tmpfs /home/mia/.cache")
    try:
        code, found = asked(network, "a1")
        assert code == 3 and "there is no space for muster" in found["a1"]["error"], found
        assert hosts[0].run("find", "/home/mia/.cache", "-type", "f") == ""
    finally:
        hosts[0].run("umount", "/home/mia/.cache")


@pytest.mark.parametrize("fault", ["unknown", "changed"])
def test_host_keys_are_checked(network, hosts, fault):
    if fault == "unknown":
        network.know(hosts[1:])
    else:
        line = f"{hosts[0].address} {hosts[1].public_key}"
        network.here.write("/home/mia/.ssh/known_hosts", line, 0o600)
    code, found = asked(network, "a1")
    assert code == 3 and installed(hosts[0]) == []
    assert found["a1"]["error"] == {"unknown": "its host key is not in known_hosts", "changed": "its host key differs from the one in known_hosts"}[fault]
    assert "ssh a1" in found["a1"]["next"]


def test_one_bad_host_does_not_hide_the_others(network, hosts):
    hosts[0].serve("ssh-ed25519 AAAA nobody")
    hosts[1].hang_up()
    code, found = asked(network, "a1,a2,a3,nowhere.invalid")
    assert code == 3 and found["a3"]["reached"]
    assert found["a1"]["error"] == "it refused the ssh login"
    assert found["a2"]["error"] == "the ssh connection was refused"
    assert found["nowhere.invalid"]["error"] == "the host name cannot be resolved"
    done = network.muster("hosts", "--hosts", "a1,a3")
    assert "error: a1: it refused the ssh login" in done.stderr and "next: " in done.stderr and done.stdout.splitlines()[1].startswith("a3")


def test_a_port_and_a_user_of_the_configuration_are_sshs_business(network, hosts):
    hosts[0].serve(network.public_key, "Port 2222")
    config = f"Host big\n  HostName {hosts[0].address}\n  Port 2222\n  User mia\n"
    network.here.write("/home/mia/.ssh/config", config, 0o600)
    network.here.write("/home/mia/.ssh/known_hosts", f"[{hosts[0].address}]:2222 {hosts[0].public_key}", 0o600)
    try:
        code, found = asked(network, "big")
    finally:
        network.here.write("/home/mia/.ssh/config", network.aliases(), 0o600)
    assert code == 0, found


def test_hosts_that_differ_are_named(network, hosts):
    hosts[0].write("/home/mia/bin/python3", "#!/bin/sh\nexit 1\n", 0o755)
    hosts[0].serve(network.public_key, "SetEnv PATH=/home/mia/bin:/usr/bin:/bin")
    done = network.muster("hosts", "--hosts", "a1,a2")
    assert "note: hosts differ in Python: none on a1; 3." in done.stderr, done


def test_bad_lists_are_refused_at_once(network, hosts):
    network.here.write("/home/mia/rack", "a1 slots=2\na2 slots=none\na1\n")
    done = network.muster("hosts", "--hostfile", "/home/mia/rack")
    assert done.returncode == 2 and "rack:2:4" in done.stderr and "a1 is listed twice" in done.stderr
    assert network.muster("hosts").returncode == 2
    done = network.muster("hosts", "--hosts", "-oProxyCommand=touch /tmp/bad")
    assert done.returncode == 2 and "E1501" in done.stderr


def test_what_ssh_would_ask_is_asked_at_the_terminal_in_turn(network, hosts):
    network.know(hosts[:1])
    words = network.words_of_muster("hosts", "--hosts", "a1,a2,a3")
    child = pexpect.spawn(words[0], words[1:], env=network.variables({"TERM": "dumb"}), cwd="/", timeout=60, encoding="utf-8", dimensions=(40, 160))
    for name in ("a2", "a3"):
        child.expect(f"{name} asks:")
        child.expect("continue connecting")
        child.sendline("yes")
    child.expect("HOST ")
    for name in ("a1", "a2", "a3"):
        child.expect(f"{name} ")
    child.expect(pexpect.EOF)
    child.wait()  # close() would signal it after 0.1 s
    child.close()
    assert child.exitstatus == 0


def test_ctrl_c_leaves_nothing_behind(network, hosts):
    hosts[0].write("/home/mia/.bashrc", "sleep 27\n")
    words = network.words_of_muster("hosts", "--hosts", "a1")
    # Processes that a shell started in the background ignore SIGINT.
    child = pexpect.spawn(words[0], words[1:], env=network.variables({"TERM": "dumb"}), cwd="/", timeout=60, encoding="utf-8",
                          preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    wait_for(lambda: any("sleep 27" in line for line in hosts[0].processes()), "the account to sleep", 30)
    child.sendintr()
    child.expect(pexpect.EOF)
    child.wait()  # close() would signal it after 0.1 s
    child.close()
    assert child.signalstatus == 2 or child.exitstatus == 130
    wait_for(lambda: not any("ssh " in line for line in network.here.processes()), "our ssh to end", 60)
    wait_for(lambda: hosts[0].processes() == [], "the account's start-up file to end", 60)


def test_an_account_whose_start_up_file_ends_the_shell_is_told_and_the_others_answer(network, hosts):
    hosts[0].write("/home/mia/.bashrc", "[ -t 0 ] || exit 0\n")
    done = network.muster("hosts", "--hosts", "a1,a2")
    assert done.returncode == 3 and "\na2 " in done.stdout, done
    assert "a1: its login shell ended with code 0 before it ran a command" in done.stderr, done.stderr
    assert "look for `exit` or `exec` in the start-up files" in done.stderr and "~/.bashrc" in done.stderr, done.stderr


def test_too_many_keys_are_told_with_the_lines_that_help(network, hosts):
    """The advice is taken: the same host answers then."""
    hosts[0].serve(network.public_key, "MaxAuthTries 2")
    others = [f"/home/mia/.ssh/other{number}" for number in range(3)]
    for other in others:
        network.as_user("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", other)
    files = "".join(f"  IdentityFile {other}\n" for other in others)
    own = "  IdentityFile ~/.ssh/id_ed25519\n"
    try:
        network.here.write("/home/mia/.ssh/config", network.aliases() + f"Host a1\n{files}{own}", 0o600)
        code, found = asked(network, "a1,a2")
        assert code == 3 and "facts" in found["a2"]
        said = network.muster("hosts", "--hosts", "a1").stderr
        assert "ssh offered too many keys" in said and "`IdentitiesOnly yes`" in said and "under Host a1" in said, said
        network.here.write("/home/mia/.ssh/config", network.aliases() + f"Host a1\n{own}  IdentitiesOnly yes\n", 0o600)
        assert asked(network, "a1")[0] == 0
    finally:
        network.here.write("/home/mia/.ssh/config", network.aliases(), 0o600)
        network.here.run("rm", "-f", *others, *(f"{other}.pub" for other in others))
