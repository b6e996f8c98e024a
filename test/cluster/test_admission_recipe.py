# SPDX-License-Identifier: Apache-2.0
"""The cluster of tier 1: the API server, JobSet's controller and its webhooks; it runs no pods."""

import subprocess

from manifests import jobset

TIER = 1


def network_of_this_machine():
    """Links, addresses and listeners of this machine, which a cluster must not change."""
    return [subprocess.check_output(words, text=True) for words in (["ip", "-brief", "link"], ["ip", "-brief", "address"], ["ss", "-Hltn"])]


def test_a_jobset_is_admitted_and_its_job_appears(namespace):
    namespace.apply(jobset("train", "true"))
    namespace.wait_for("its job", lambda: namespace.names("jobs") == ["train-node-0"])
    assert namespace.items("pods") == []


def test_the_webhook_refuses_what_the_schema_lets_through(namespace):
    done = namespace.kubectl("apply", "-f", "-", input=jobset("a" * 80, "true"), check=False)
    assert done.returncode != 0
    assert "pod names generated for this JobSet will exceed 63 characters" in done.stderr


def test_nothing_of_it_appears_in_the_machines_own_network(cluster):
    links, addresses, listeners = network_of_this_machine()
    assert "10.100." not in addresses + listeners
    assert "nodes" not in links
    inside = subprocess.check_output(cluster.words("ss", "-Hltn"), text=True)
    assert "10.100.0.1:443" in inside
