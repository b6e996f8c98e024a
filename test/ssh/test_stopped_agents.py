# SPDX-License-Identifier: Apache-2.0
"""Agents on hosts that a signal has stopped: they are named, and do not keep their ranks from ending."""

from waiting import wait_for

SAVES = "trap 'echo saving; exit 0' TERM; while :; do sleep 0.1; done"


def agent_on(host, desk, name, rank):
    """The pid of the agent that runs this rank, which is its parent."""
    pid = wait_for(lambda: desk.job(name)["ranks"][rank].get("pid"), "the rank's pid", 60)
    return host.run("ps", "-o", "ppid=", "-p", pid).strip()


def test_a_stopped_agent_is_named_and_passes_a_stop_on(network, hosts, desk):
    name = desk.submit(SAVES)
    desk.wait_until(name, "running")
    agent = agent_on(hosts[1], desk, name, 1)
    hosts[1].run("kill", "-STOP", agent)
    short = f"the agent on a2 (pid {agent}) is stopped by a signal, so its ranks are not watched"
    said = f"{short}; ssh a2 kill -CONT {agent} continues it"
    wait_for(lambda: short in desk.muster("ps").stdout, "ps to tell it", 60)
    for command in ("why", "describe"):
        words = [command, name]
        wait_for(lambda: said in (told := desk.muster(*words).stdout.replace("The agent", "the agent")) or print(told), f"{command} to tell it", 60)
    hosts[1].run("kill", "-CONT", agent)
    wait_for(lambda: "is stopped by a signal" not in desk.muster("ps").stdout, "ps to forget it", 60)
    hosts[1].run("kill", "-STOP", agent)
    wait_for(lambda: short[4:] in desk.muster("ps").stdout, "ps to tell it again", 60)
    assert desk.muster("stop", name).returncode == 0
    assert desk.muster("wait", name).returncode == 130
    assert desk.muster("logs", name).stdout.count("saving") == 2


def test_an_agent_that_is_stopped_again_and_again_ends(network, hosts, desk):
    name = desk.submit(SAVES, hosts="a1")
    desk.wait_until(name, "running")
    agent = agent_on(hosts[0], desk, name, 0)
    hosts[0].run("sh", "-c", f"timeout 100 sh -c 'until test -e /tmp/enough; do kill -STOP {agent}; done' >/dev/null 2>&1 &")
    wait_for(lambda: "is stopped by a signal" in desk.muster("ps").stdout, "ps to tell it", 60)
    assert desk.muster("stop", name).returncode == 0
    assert desk.muster("wait", name).returncode == 130
    hosts[0].write("/tmp/enough", "")
    wait_for(lambda: hosts[0].processes() == [], lambda: f"the agent to leave: {hosts[0].processes()}", 60)
