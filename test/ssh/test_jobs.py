# SPDX-License-Identifier: Apache-2.0
"""Jobs on hosts over a real sshd: they run, end, restart and stop, whatever happens to links and controllers, and leave nothing."""

import contextlib
import json

from desk import let_go, ranks_on
from waiting import wait_for

# A rank that runs until its test ends it.
LASTING = "while [ ! -e /tmp/go ]; do sleep 0.1; done; echo went $MUSTER_RANK"


def test_a_rank_on_each_host_and_what_they_print_is_here(network, hosts, desk):
    done = desk.muster("run", "--backend", "ssh", "--hosts", "a1,a2", "--workdir", "/", "--", "sh", "-c", "echo rank $MUSTER_RANK on $(hostname) as $(id -un)")
    assert done.returncode == 0, done.stderr
    assert "rank 0 on a1 as mia" in done.stdout and "rank 1 on a2 as mia" in done.stdout
    assert hosts[2].run("sh", "-c", "ls -A /home/mia") == ""


def test_an_exit_code_comes_home(network, hosts, desk):
    done = desk.muster("run", "--propagate", "--backend", "ssh", "--hosts", "a1,a2", "--workdir", "/", "--", "sh", "-c",
                       "[ $MUSTER_RANK = 0 ] || exit 7; sleep 1000")
    assert done.returncode == 7, done.stderr
    assert "a2" in done.stderr


def test_ranks_have_their_hosts_environment(network, hosts, desk):
    hosts[0].serve(network.public_key, "SetEnv FROM_HOST=a1")
    script = 'echo "$FROM_HOST $NCCL_DEBUG ${SSH_CONNECTION-none} ${SECRET-none} $HOME $(umask) $GLOO_SOCKET_IFNAME"'
    done = network.muster("run", "--backend", "ssh", "--hosts", "a1,a2", "--workdir", "/", "--", "sh", "-c", script, more={"NCCL_DEBUG": "WARN", "SECRET": "x"})
    assert done.returncode == 0, done.stderr
    assert "a1 WARN none none /home/mia 0022 eth0" in done.stdout


def test_a_folder_that_is_not_there_is_named_with_its_host(network, hosts, desk):
    done = desk.muster("run", "--backend", "ssh", "--hosts", "a1", "--workdir", "/home/mia/code", "--restarts", "0", "--", "true")
    assert done.returncode != 0
    assert "workdir /home/mia/code does not exist on a1" in done.stderr, done.stderr


def command_lines(world):
    lines = []
    for path in world.file("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):  # it has just ended
            lines.append(path.read_bytes())
    return b"\n".join(lines)


def test_a_secret_is_in_no_command_line_and_no_file(network, hosts, desk):
    """The ranks of all hosts get it; other accounts, there or here, cannot find it."""
    secret = "correct-horse-battery-staple"
    network.here.write("/home/mia/token", secret, 0o600)
    job = {"name": "quiet", "command": ["sh", "-c", f"echo $TOKEN | tr a-z A-Z; {LASTING}"], "env": {"TOKEN": {"from": "file:/home/mia/token"}},
           "backend": "ssh", "hosts": ["a1", "a2"], "workdir": "/"}
    network.here.write("/home/mia/job.yaml", json.dumps(job))
    done = desk.muster("submit", "-q", "/home/mia/job.yaml")
    assert done.returncode == 0, done.stderr
    wait_for(lambda: desk.muster("logs", "quiet").stdout.count(secret.upper()) == 2, lambda: desk.muster("logs", "quiet"), 60)
    for world in (network.here, *hosts[:2]):
        assert secret.encode() not in command_lines(world), world.name
        found = world.run("sh", "-c", f"grep -rl {secret} /tmp /var/tmp /run /home 2>/dev/null || true").split()
        assert all(world.run("stat", "-c", "%a", path).strip() == "600" for path in found), found
        assert world is network.here or found == [], found
    let_go(hosts[:2])
    desk.wait_until("quiet", "succeeded")


def test_a_killed_rank_begins_a_new_attempt(network, hosts, desk):
    name = desk.submit(LASTING, "--restarts", "1")
    desk.wait_until(name, "running")
    before = wait_for(lambda: ranks_on(hosts[1], "/tmp/go"), "a rank on a2", 60)
    hosts[1].run("kill", "-9", before[0])
    wait_for(lambda: ranks_on(hosts[1], "/tmp/go") not in ([], before), "another rank on a2", 60)
    let_go(hosts[:2])
    desk.wait_until(name, "succeeded")
    assert "SIGKILL" in desk.events(name)


def test_a_job_stops_everywhere(network, hosts, desk):
    name = desk.submit(LASTING)
    desk.wait_until(name, "running")
    assert desk.muster("stop", name).returncode == 0
    desk.wait_until(name, "cancelled")
    for host in hosts[:2]:
        wait_for(lambda host=host: host.processes() == [], f"nothing to run on {host.name}", 60)


def test_a_link_that_is_cut_comes_back_and_ranks_go_on(network, hosts, desk):
    name = desk.submit(LASTING)
    desk.wait_until(name, "running")
    before = wait_for(lambda: ranks_on(hosts[0], "/tmp/go"), "a rank on a1", 60)
    hosts[0].hang_up()
    desk.wait_for_event(name, "the link to a1 is lost: the ssh connection was refused")
    assert before[0] in ranks_on(hosts[0], "/tmp/go")
    let_go(hosts[:2])
    hosts[0].serve(network.public_key)
    desk.wait_until(name, "succeeded")
    assert desk.job(name)["attempt"] == 1


def test_a_killed_controller_is_followed_by_one_that_finds_its_hosts(network, hosts, desk):
    name = desk.submit(LASTING)
    desk.wait_until(name, "running")
    before = wait_for(lambda: ranks_on(hosts[0], "/tmp/go"), "a rank on a1", 60)
    desk.kill_controller()
    desk.wait_for_event(name, "a new controller took the job over")
    assert before[0] in ranks_on(hosts[0], "/tmp/go")
    let_go(hosts[:2])
    desk.wait_until(name, "succeeded")
    assert desk.job(name)["attempt"] == 1


def test_an_agent_that_is_killed_with_its_guardian_is_replaced_and_leaves_nothing(network, hosts, desk):
    name = desk.submit(LASTING, "--restarts", "1")
    desk.wait_until(name, "running")
    before = wait_for(lambda: ranks_on(hosts[0], "/tmp/go"), "a rank on a1", 60)
    hosts[0].run("kill", "-9", *ranks_on(hosts[0], " agent --socket"))
    wait_for(lambda: (found := ranks_on(hosts[0], "/tmp/go")) and before[0] not in found, "another rank on a1", 60)
    let_go(hosts[:2])
    desk.wait_until(name, "succeeded")


def test_hosts_are_asked_for_the_folder_by_the_shells_name(network, hosts, desk):
    """Here /tmp/auto/mia is a link, as an automounter makes it; the hosts have only that name."""
    network.here.run("sh", "-c", "mkdir -p /tmp/auto /home/mia/export/code && ln -sfn /home/mia/export /tmp/auto/mia && chown -R mia /home/mia/export")
    network.here.write("/home/mia/export/code/job.yaml", "backend: ssh\nhosts: [a1]\ncommand: [pwd]\n")
    hosts[0].run("sh", "-c", "mkdir -p /tmp/auto/mia/code && chmod -R a+rX /tmp/auto")
    try:
        for words in ("--hosts a1 -- pwd", "job.yaml", "/tmp/auto/mia/code/job.yaml"):
            assert network.as_user("sh", "-c", f"cd /tmp/auto/mia/code && exec /run/muster/muster run -q {words}").split() == ["/tmp/auto/mia/code"], words
    finally:
        network.here.run("rm", "-rf", "/home/mia/export", "/tmp/auto")
