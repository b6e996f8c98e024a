# SPDX-License-Identifier: Apache-2.0
"""muster doctor --hosts over a real sshd: finds problems of the hosts and of the connections between them."""

import json


def findings(network, *names, program=()):
    done = network.muster("doctor", "--hosts", ",".join(names), "-o", "json", *program)
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


def test_what_the_program_needs_and_a_host_lacks_is_a_problem_with_the_command(network, hosts, torch):
    network.here.write("/home/mia/code/train.py", "import torch.distributed as dist\n")
    hosts[1].run("umount", "--lazy", f"/usr/local/lib/{torch.parent.name}/dist-packages")
    try:
        code, found = findings(network, "a1", "a2", program=["--", "python3", "/home/mia/code/train.py"])
        assert code == 1 and found["a1"]["level"] == "ok", found
        assert found["a2"]["text"] == "torch is not installed for its python3" and found["a2"]["effect"] == "train.py imports torch.distributed"
        assert found["a2"]["mend"].startswith("ssh a2 python3 -m pip install torch==2."), found["a2"]
        assert "torch" not in found, "not told twice"
        network.here.write("/home/mia/code/job.yaml", "command: [python3, train.py]\nframework: torch\n")
        code, found = findings(network, "a1", "a2", program=["/home/mia/code/job.yaml"])
        assert code == 1 and found["a2"]["text"] == "torch is not installed for its python3", found
        code, found = findings(network, "a1", "a2")
        assert code == 1 and found["torch"]["text"].startswith("hosts differ: ") and found["torch"]["mend"].startswith("ssh a2 python3 -m pip install torch==")
        code, found = findings(network, "a2", program=["--", "/opt/none/python3", "/home/mia/code/train.py"])
        assert code == 1 and found["a2"]["text"] == "there is no Python at /opt/none/python3", found
    finally:
        hosts[1].run("mount", "--bind", "/run/torch", f"/usr/local/lib/{torch.parent.name}/dist-packages")
        network.here.run("rm", "-rf", "/home/mia/code")


def test_a_host_without_torch_is_noted_even_if_no_program_is_known(network, hosts):
    code, found = findings(network, "a1", "a2")
    assert code == 0 and found["torch"]["level"] == "note" and found["torch"]["text"] == "not installed on a1, a2", found
    assert found["torch"]["mend"] == "ssh a1 python3 -m pip install torch"
