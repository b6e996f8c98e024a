# SPDX-License-Identifier: Apache-2.0
"""A job's hosts, from the command line to the plan: their inventory is queried before anything is submitted."""

import json

import pytest


def rendered(network, *words):
    done = network.muster("render", *words, "-o", "json", "--", "true")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_plan_shows_its_hosts(network, hosts):
    plan = rendered(network, "--backend", "ssh", "--hosts", "a1,a2", "-n", "2")
    assert [node["host"] for node in plan["nodes"]] == ["a1", "a2"]
    assert [rank["node"] for rank in plan["ranks"]] == [0, 0, 1, 1]
    assert [rank["environment"]["MUSTER_ADDRESS"] for rank in plan["ranks"]] == [hosts[0].address] * 2 + [hosts[1].address] * 2
    text = network.muster("run", "--dry-run", "--hosts", "a2:3,a1", "-n", "auto", "--", "true")
    assert "backend: ssh (hosts were given)" in text.stderr
    assert "hosts have different numbers of ranks: 3 ranks on a2; 1 rank on a1" in text.stderr
    assert [line.split()[3] for line in text.stdout.splitlines() if line.strip().startswith("rank ")] == ["a2", "a2", "a2", "a1"]


def test_a_job_file_names_hosts_and_their_settings(network, hosts):
    job = "backend: ssh\nplacement: cyclic\nworkers: 2\ncommand: [\"true\"]\nhosts: [{name: a1, address: lo0}, {name: a2, env: {PLACE: two}}]\n"
    network.here.write("/home/mia/job.yaml", job)
    done = network.muster("render", "/home/mia/job.yaml")
    assert done.returncode != 0 and "a1 has no NIC `lo0` with an address: it has eth0" in done.stderr
    network.here.write("/home/mia/job.yaml", job.replace("lo0", "eth0"))
    plan = json.loads(network.muster("render", "/home/mia/job.yaml", "-o", "json").stdout)
    assert [rank["node"] for rank in plan["ranks"]] == [0, 1, 0, 1]
    assert [rank["environment"].get("PLACE") for rank in plan["ranks"]] == [None, "two", None, "two"]


def test_a_host_that_does_not_answer_ends_it_at_once(network, hosts):
    hosts[1].hang_up()
    done = network.muster("run", "--hosts", "a1,a2,nowhere.invalid", "--", "sh", "-c", "touch /tmp/ran")
    assert done.returncode == 3
    assert "error: a2: the ssh connection was refused" in done.stderr and "error: nowhere.invalid: the host name cannot be resolved" in done.stderr
    assert "nothing was started" in done.stderr and not hosts[0].file("/tmp/ran").exists()


def test_what_hosts_cannot_hold_is_refused(network, hosts):
    done = network.muster("submit", "--hosts", "a1,a2:1", "-n", "2", "--", "true")
    assert done.returncode == 8 and "a2: it has 1 slot for 2 ranks" in done.stderr
    done = network.muster("submit", "--hosts", "a1,a2", "--nodes", "4", "--", "true")
    assert done.returncode == 8 and "there are 2 hosts; lower --nodes" in done.stderr


def test_two_names_of_one_host_are_one_too_many(network, hosts):
    network.here.write("/home/mia/.ssh/config", network.aliases() + f"Host also\n  HostName {hosts[0].address}\n", 0o600)
    try:
        done = network.muster("submit", "--hosts", "a1,also", "--", "true")
    finally:
        network.here.write("/home/mia/.ssh/config", network.aliases(), 0o600)
    assert done.returncode == 2 and "a1 and also are the same machine (a1)" in done.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [("", "the list contains no host"), ("a1\na1\n", "rack:2:1"), ("a1 slots=0\n", "rack:1:4"), ("".join(f"h{i}\n" for i in range(10000)), "10,000 hosts"),
     ("a1 gpus=4\n", "a host has no setting `gpus`"), ("-x\n", "begins with a dash")])
def test_bad_lists_are_refused_before_anybody_is_asked(network, hosts, text, said):
    network.here.write("/home/mia/rack", text)
    done = network.muster("run", "--hostfile", "/home/mia/rack", "--", "true", timeout=20)
    assert done.returncode == 2 and said in done.stderr, done.stderr
