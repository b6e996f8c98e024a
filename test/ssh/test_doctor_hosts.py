# SPDX-License-Identifier: Apache-2.0
"""muster doctor --hosts over a real sshd: finds problems of the hosts and of the connections between them."""

import json


def findings(network, *names):
    done = network.muster("doctor", "--hosts", ",".join(names), "-o", "json")
    assert done.stdout, done.stderr
    return done.returncode, {each["subject"]: each for each in json.loads(done.stdout)["findings"]}


def test_hosts_that_are_well(network, hosts):
    code, found = findings(network, "a1", "a2", "a3")
    assert code == 0, found
    assert found["ways"]["text"] == "3 hosts reach each other on TCP ports 20000-27999"


def test_a_way_that_is_closed_is_named(network, hosts):
    hosts[0].run("ip", "route", "add", "unreachable", f"{hosts[1].address}/32")
    try:
        code, found = findings(network, "a1", "a2", "a3")
    finally:
        hosts[0].run("ip", "route", "del", "unreachable", f"{hosts[1].address}/32")
    assert code == 1
    ways = {subject: each for subject, each in found.items() if "→" in subject}
    assert "a1 → a2" in ways and ways["a1 → a2"]["level"] == "problem"
    assert "20000-27999" in ways["a1 → a2"]["text"] and "firewall" in ways["a1 → a2"]["mend"]
    assert not any("a3" in way for way in ways)


def test_hosts_that_do_not_answer_are_problems_and_the_rest_is_checked(network, hosts):
    hosts[2].hang_up()
    code, found = findings(network, "a1", "a2", "a3")
    assert code == 1
    assert found["a3"]["level"] == "problem" and found["a3"]["text"] == "the ssh connection was refused"
    assert found["ways"]["level"] == "ok"
