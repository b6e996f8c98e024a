# SPDX-License-Identifier: Apache-2.0
"""Hosts that jobs share: jobs wait for jobs of the same and of other controllers; killed processes leave nothing that is held."""

import json
import os
import shutil
from pathlib import Path

import pytest

from desk import let_go, ranks_on
from waiting import wait_for

LASTING = "while [ ! -e /tmp/go ]; do sleep 0.1; done; echo went $MUSTER_RANK on $CUDA_VISIBLE_DEVICES"
ANOTHER = {"XDG_STATE_HOME": "/home/mia/another", "XDG_CONFIG_HOME": "/home/mia/another"}


@pytest.fixture
def gpus(network, hosts):
    """Two GPUs on each host, by the NVML stand-in."""
    library = Path(os.environ["MUSTER_BINARY"]).parent / "stand_in" / "libnvml_stand_in.so"
    for host in hosts:
        host.run("mkdir", "-p", "/run/driver")
        shutil.copy(library, host.file("/run/driver/libnvidia-ml.so.1"))
        host.serve(network.public_key, "SetEnv LD_LIBRARY_PATH=/run/driver MUSTER_NVML_STAND_IN=gpus=2")


def waits_for(desk, name, words, seconds=60):
    return wait_for(lambda: words in desk.job(name)["waits_for"] and desk.job(name)["waits_for"], lambda: f"{name} to wait for {words}: {desk.job(name)}", seconds)


def test_the_second_job_waits_for_the_gpus_of_the_first(network, hosts, gpus, desk):
    first = desk.submit(LASTING, "--name", "first", hosts="a1")
    desk.wait_until(first, "running")
    second = desk.submit("true", "--name", "second", hosts="a1,a2")
    assert waits_for(desk, second, "a1") == "2 GPUs on a1: first holds 0, 1"
    assert "waits for 2 GPUs on a1: first holds 0, 1" in desk.muster("ps").stdout
    third = desk.submit("true", "--name", "third", hosts="a2")
    assert waits_for(desk, third, "second") == "second, which was submitted earlier"
    elsewhere = desk.submit("true", "--name", "elsewhere", hosts="a3")
    desk.wait_until(elsewhere, "succeeded")
    let_go(hosts[:1])
    for name in (first, second, third):
        desk.wait_until(name, "succeeded")


def test_a_job_waits_for_gpus_that_another_controller_gave_away(network, hosts, gpus, desk):
    words = ["--backend", "ssh", "--hosts", "a1", "--workdir", "/"]
    done = network.muster("submit", "-q", "--name", "theirs", *words, "--", "sh", "-c", LASTING, more=ANOTHER)
    assert done.returncode == 0, done.stderr
    try:
        wait_for(lambda: ranks_on(hosts[0], "/tmp/go"), "their rank", 60)
        mine = desk.submit("true", "--name", "mine", hosts="a1")
        assert "2 GPUs on a1: mia's job theirs, pid " in waits_for(desk, mine, "theirs")
        let_go(hosts[:1])
        desk.wait_until(mine, "succeeded", 90)
        network.muster("wait", "theirs", more=ANOTHER)
    finally:
        network.muster("kill", "theirs", more=ANOTHER)
        network.muster("wait", "theirs", more=ANOTHER)
    jobs = json.loads(network.muster("ps", "-o", "json", more=ANOTHER).stdout)["jobs"]
    assert [job["state"] for job in jobs] == ["succeeded"]
    end_other_controllers(network)


def test_whoever_is_faster_has_the_gpus_and_the_other_waits(network, hosts, gpus, desk):
    """The GPUs were free when both were admitted: the job that starts first gets them."""
    job = {"name": "mine", "command": ["sh", "-c", "echo $CUDA_VISIBLE_DEVICES"], "setup": [["sh", "-c", "until test -e /tmp/set; do sleep 0.05; done"]],
           "backend": "ssh", "hosts": ["a1"], "workdir": "/"}
    network.here.write("/home/mia/job.yaml", json.dumps(job))
    done = desk.muster("submit", "-q", "/home/mia/job.yaml")
    assert done.returncode == 0, done.stderr
    wait_for(lambda: ranks_on(hosts[0], "until test"), "the first one's setup", 60)
    done = network.muster("submit", "-q", "--name", "theirs", "--backend", "ssh", "--hosts", "a1", "--workdir", "/", "--", "sh", "-c", LASTING, more=ANOTHER)
    assert done.returncode == 0, done.stderr
    try:
        wait_for(lambda: ranks_on(hosts[0], "/tmp/go"), "their rank", 60)
        hosts[0].run("touch", "/tmp/set")
        assert "its GPUs on a1: GPU " in waits_for(desk, "mine", "is held by mia's job theirs, pid ")
        assert "waits for its GPUs on a1" in desk.events("mine")
        let_go(hosts[:1])
        desk.wait_until("mine", "succeeded")
        assert desk.job("mine")["attempt"] == 1
    finally:
        network.muster("kill", "theirs", more=ANOTHER)
        network.muster("wait", "theirs", more=ANOTHER)
        end_other_controllers(network)


def end_other_controllers(network):
    for line in network.here.processes():
        if line.endswith(" serve"):
            network.here.run("kill", line.split()[0])


def test_slots_are_shared_and_jobs_that_need_nothing_do_not_wait(network, hosts, desk):
    first = desk.submit(LASTING, "--name", "first", "-n", "2", hosts="a1:3")
    desk.wait_until(first, "running")
    second = desk.submit("true", "--name", "second", "-n", "2", hosts="a1:3")
    assert waits_for(desk, second, "slots") == "2 slots on a1: first holds 2"
    third = desk.submit("true", "--name", "third", hosts="a1")
    desk.wait_until(third, "succeeded")
    let_go(hosts[:1])
    desk.wait_until(second, "succeeded")


def test_a_killed_job_is_over_though_a_host_is_away(network, hosts, desk):
    name = desk.submit(LASTING)
    desk.wait_until(name, "running")
    before = wait_for(lambda: ranks_on(hosts[1], "/tmp/go"), "a rank on a2", 60)
    hosts[1].hang_up()
    desk.wait_for_event(name, "the link to a2 is lost")
    assert desk.muster("kill", name).returncode == 0
    desk.muster("wait", name, timeout=60)
    assert desk.job(name)["state"] == "cancelled"
    assert "a2 is unreachable: muster ends its processes if it reconnects within 10 min" in desk.events(name)
    assert before[0] in ranks_on(hosts[1], "/tmp/go")
    hosts[1].serve(network.public_key)
    wait_for(lambda: ranks_on(hosts[1], "/tmp/go") == [], "what was left on a2 to be ended", 90)


def test_a_hosts_own_value_goes_before_a_frameworks(network, hosts, desk):
    hosts[0].serve(network.public_key, "SetEnv OMP_NUM_THREADS=5")
    done = desk.muster("run", "--backend", "ssh", "--hosts", "a1,a2", "--workdir", "/", "-n", "2", "--framework", "torch", "--set", "warm=off", "--",
                       "sh", "-c", "echo rank $RANK has $OMP_NUM_THREADS")
    assert done.returncode == 0, done.stderr
    assert "rank 0 has 5" in done.stdout and "rank 2 has 1" in done.stdout


def test_what_a_killed_agent_held_is_removed_by_the_next(network, hosts, desk):
    name = desk.submit(LASTING, "--restarts", "1", hosts="a1")
    desk.wait_until(name, "running")
    hosts[0].run("kill", "-9", *ranks_on(hosts[0], " agent --socket"))
    wait_for(lambda: desk.job(name)["attempt"] == 2 and ranks_on(hosts[0], "/tmp/go"), lambda: desk.events(name), 60)
    let_go(hosts[:1])
    desk.wait_until(name, "succeeded")
    wait_for(lambda: hosts[0].run("ls", "/tmp/muster-leases").split() == [], lambda: hosts[0].run("ls", "/tmp/muster-leases"), 60)


def test_a_label_chooses_hosts_and_weights_their_order(network, hosts):
    network.here.write("/home/mia/rack", "a1 label=cpu\na2 weight=2\na3\n")
    network.here.write("/home/mia/job.yaml", "backend: ssh\ngroups:\n  - {name: train, command: [\"true\"]}\n  - {name: ps, label: cpu, command: [\"true\"]}\n")
    done = network.muster("render", "--hostfile", "/home/mia/rack", "/home/mia/job.yaml", "-o", "json")
    assert done.returncode == 0, done.stderr
    assert [node["host"] for node in json.loads(done.stdout)["nodes"]] == ["a2", "a1"]
    assert "LABEL" in network.muster("hosts", "--hostfile", "/home/mia/rack").stdout
    network.here.write("/home/mia/rack", "a1\na2 weight=heavy\n")
    done = network.muster("hosts", "--hostfile", "/home/mia/rack")
    assert done.returncode == 2 and "E1508" in done.stderr and ":2:4" in done.stderr
