# SPDX-License-Identifier: Apache-2.0
"""`muster torchrun` started by hand on several hosts; here commands of one machine that meet at a port of a separate loopback address."""

import json
import os
import signal
import socket

import pytest

from processes import alive, processes_of
from typed_hosts import WAITS, Hosts, clear_away, ended, reachable, ready, told
from waiting import wait_for

TELLS = """
import json, os, sys
e = os.environ
row = {name: e.get(name) for name in ("RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "GROUP_RANK", "GROUP_WORLD_SIZE",
                                      "MASTER_ADDR", "MASTER_PORT", "TORCHELASTIC_RUN_ID", "HERE", "MUSTER_TOKEN")}
print(json.dumps(row | {"argv": sys.argv[1:], "cwd": os.path.basename(os.getcwd())}))
"""
FAILS_ONCE = """
import os
restarts = int(os.environ["TORCHELASTIC_RESTART_COUNT"])
print("rank", os.environ["RANK"], "restart", restarts, flush=True)
if os.environ["RANK"] == "2" and restarts == 0:
    raise ValueError("first try")
"""


@pytest.fixture
def hosts(muster):
    return Hosts(muster)


def rows(command):
    return sorted((json.loads(line) for line in command.out().splitlines()), key=lambda row: int(row["RANK"]))


@pytest.mark.parametrize("meet, token", [("static", {}), ("c10d", {}), ("c10d", {"MUSTER_TOKEN": "only-we-know-0123456789"})])
def test_ranks_of_both_hosts_make_one_world(muster, hosts, meet, token):
    """Each host keeps the command, environment and folder of its own command line."""
    script = muster.write("tell.py", TELLS)
    folders = [muster.work / name for name in ("one", "two")]
    for folder in folders:
        folder.mkdir()
    first = hosts.start(0, script, "--lr", "1", meet=meet, env=token, cwd=folders[0])
    wait_for(lambda: reachable(hosts.port), "the first host to listen")
    other = hosts.start(1, script, "--lr", "2", meet=meet, env=token, cwd=folders[1])
    seen = rows(ended(first, 0)) + rows(ended(other, 0))
    assert [(row["RANK"], row["LOCAL_RANK"], row["LOCAL_WORLD_SIZE"], row["GROUP_RANK"]) for row in seen] == \
        [("0", "0", "2", "0"), ("1", "1", "2", "0"), ("2", "0", "1", "1")]
    assert {(row["WORLD_SIZE"], row["GROUP_WORLD_SIZE"], row["MASTER_ADDR"]) for row in seen} == {("3", "2", "127.0.0.1")}
    assert len({row["MASTER_PORT"] for row in seen}) == 1 and seen[0]["MASTER_PORT"] != str(hosts.port)
    assert [(row["HERE"], row["argv"][1], row["cwd"]) for row in seen] == [("host 0", "1", "one")] * 2 + [("host 1", "2", "two")]
    assert {row["TORCHELASTIC_RUN_ID"] for row in seen} == {"mine" if meet == "c10d" else "none"}
    assert {row["MUSTER_TOKEN"] for row in seen} == {None}
    assert ("has no access control" in first.err()) == (not token)


def test_both_hosts_can_be_asked_about_the_job_later(muster, hosts):
    muster.write("tell.py", TELLS)
    first, other = hosts.both("tell.py")
    ended(first, 0), ended(other, 0)
    jobs = {job["name"]: job for job in muster.ok("ps", "-a", "-o", "json").json()["jobs"]}
    name = next(name for name in jobs if not name.endswith("-node1"))
    assert set(jobs) == {name, f"{name}-node1"} and {job["state"] for job in jobs.values()} == {"succeeded"}
    assert '"HERE": "host 0"' in muster.ok("logs", name).out and '"HERE": "host 1"' in muster.ok("logs", f"{name}-node1").out
    assert "host 1" not in muster.ok("logs", name).out
    journal = "".join(path.read_text(errors="replace") for path in (muster.state / "jobs").rglob("*") if path.is_file() and "journal" in path.name)
    assert "host 1" not in journal and "host 0" not in journal


def test_a_failure_is_told_on_both_hosts_and_all_begin_anew(muster, hosts):
    muster.write("train.py", FAILS_ONCE)
    first, other = hosts.both("--max-restarts", "1", "train.py")
    ended(first, 0), ended(other, 0)
    assert "rank 2 restart 1" in other.out() and "rank 0 restart 1" in first.out()
    for command in (first, other):
        assert "rank 2 raised ValueError: first try at train.py:6 · restarting, attempt 2 of 2" in command.err(), command


def test_a_job_that_failed_is_explained_where_it_failed_and_named_where_not(muster, hosts):
    muster.write("train.py", FAILS_ONCE)
    first, other = hosts.both("train.py")
    ended(first, 1), ended(other, 1)
    for command in (first, other):
        assert "failed: rank 2 raised ValueError: first try" in command.err(), command
    assert ", where it ran\n" in first.err() and first.err().count("Traceback") == 1, "its output is on the other host"
    assert "Traceback" in other.err() and "-node1 --rank 2" in other.err()
    assert "ValueError: first try" in muster.ok("why", other.err().split()[-1]).out


@pytest.mark.parametrize("number, who", [(signal.SIGINT, 0), (signal.SIGTERM, 1), (signal.SIGINT, 1)])
def test_who_stops_one_host_stops_the_job(muster, hosts, number, who):
    muster.write("wait.py", WAITS)
    both = hosts.both("wait.py")
    ready(*both)
    both[who].signal(number)
    for command in both:
        assert "cancelled: stopped by the user" in ended(command, 1).err(), command


@pytest.mark.parametrize("who", [0, 1])
def test_a_host_that_is_killed_takes_the_job_with_it(muster, hosts, who):
    muster.write("wait.py", WAITS)
    both = hosts.both("wait.py")
    ready(*both)
    both[who].signal(signal.SIGKILL).process.wait()
    ended(both[1 - who], 1)
    assert ("no report for" if who else "no message from") in both[1 - who].err()
    clear_away(muster)
    wait_for(lambda: not processes_of(muster.home), "all ranks to be gone")


def test_a_lost_host_can_come_back(muster, hosts):
    muster.write("wait.py", WAITS)
    first, other = hosts.both("--max-restarts", "1", "wait.py")
    ready(first, other)
    other.signal(signal.SIGKILL).process.wait()
    wait_for(lambda: "waiting for a host in place of " in first.err() and ", --node-rank 1" in first.err(), "the host to be missed")
    again = hosts.start(1, "--max-restarts", "1", "wait.py")
    wait_for(lambda: "rank 2 ready, restart 1" in again.out(), lambda: f"the host to be let in again: {again} {first}")
    wait_for(lambda: "rank 0 ready, restart 1" in first.out(), lambda: f"the first host's ranks: {first}")
    first.signal(signal.SIGTERM)
    ended(first, 1), ended(again, 1)
    clear_away(muster)


def test_more_hosts_than_the_fewest_are_let_in_until_the_last_call(muster, hosts):
    muster.write("tell.py", TELLS)
    words = ["--rdzv-conf", "last_call_timeout=1", "tell.py"]
    first, other = hosts.both(*words, meet="c10d", nodes="2:5")
    ended(first, 0), ended(other, 0)
    assert {row["WORLD_SIZE"] for row in rows(first) + rows(other)} == {"3"}


def test_hosts_that_do_not_come_are_missed(muster, hosts):
    muster.write("tell.py", TELLS)
    done = ended(hosts.start(0, "--rdzv-conf", "timeout=2", "tell.py"), 1)
    assert "only 1 of 2 have joined after 2 s at 127.0.0.1:" in done.err() and "waiting for hosts at" in done.err()
    done = ended(hosts.start(1, "--rdzv-conf", "timeout=2", "tell.py"), 1)
    assert "127.0.0.1:" in done.err() and " did not answer within " in done.err()


def test_who_is_stopped_while_waiting_tells_the_others(muster, hosts):
    muster.write("tell.py", TELLS)
    first, other = hosts.both("--rdzv-conf", "timeout=30", "tell.py", nodes=3)
    wait_for(lambda: "2 of 3 have joined" in first.err() or "1 of 3 have joined" in first.err(), "the first to wait")
    first.signal(signal.SIGINT)
    assert "stopped by SIGINT before all hosts had joined" in ended(first, 1).err()
    # If the other host has not come yet, its address does not answer.
    assert "stopped by SIGINT before all hosts had joined on " in ended(other, 1).err() or "did not answer" in other.err()


def test_a_first_host_that_has_not_its_address_says_so(muster, hosts):
    muster.write("tell.py", TELLS)
    first = hosts.start(0, "--master-addr", "203.0.113.7", "tell.py")
    told(first, "203.0.113.7 is not an address of this machine")
    first.signal(signal.SIGINT)
    ended(first, 1)


@pytest.mark.parametrize("other_words, other_env, sentence", [
    (["--rdzv-id", "theirs"], {}, "this is the endpoint of --rdzv-id mine, not of theirs"),
    (["--nnodes", "3"], {}, "the hosts have different --nnodes: 2 on the first, 3 on "),
    (["--rdzv-backend", "static", "--node-rank", "1"], {}, "the hosts have different --rdzv-backend"),
    ([], {"MUSTER_TOKEN": "only-we-know-0123456789"}, "answers, but it is not `muster torchrun` with the same MUSTER_TOKEN"),
])
def test_a_host_that_typed_something_else_is_told_so_and_the_first_waits_on(muster, hosts, other_words, other_env, sentence):
    muster.write("tell.py", TELLS)
    first = hosts.start(0, "tell.py", meet="c10d")
    wait_for(lambda: reachable(hosts.port), "the first host to listen")
    words = ["--rdzv-conf", "is_host=0"] if "static" not in other_words else []
    stranger = hosts.start(1, *words, *other_words, "tell.py", meet="c10d", env=other_env)
    assert sentence in ended(stranger, 1).err(), stranger
    ended(hosts.start(1, "tell.py", meet="c10d"), 0), ended(first, 0)


def test_hosts_with_different_tokens_do_not_meet(muster, hosts):
    muster.write("tell.py", TELLS)
    first = hosts.start(0, "tell.py", env={"MUSTER_TOKEN": "only-we-know-0123456789"})
    wait_for(lambda: reachable(hosts.port), "the first host to listen")
    for token in ("only-THEY-know-0123456789", None):
        stranger = hosts.start(1, "tell.py", env={"MUSTER_TOKEN": token} if token else {})
        assert "answers, but it is not `muster torchrun` with the same MUSTER_TOKEN" in ended(stranger, 1).err(), stranger
    first.signal(signal.SIGTERM)
    assert "only-we-know" not in ended(first, 1).err()


@pytest.mark.parametrize("words, code, sentence", [
    (["--nnodes", "2", "--rdzv-backend", "c10d"], 2, "--nnodes 2 needs --rdzv-endpoint HOST:PORT"),
    (["--nnodes", "2", "--rdzv-backend", "etcd", "--rdzv-endpoint", "a:1"], 2, "--rdzv-backend etcd needs a separate service"),
    (["--nnodes", "2", "--node-rank", "2", "--master-addr", "127.0.0.1"], 2, "--node-rank 2 of --nnodes 2: node ranks are counted from 0"),
    (["--nnodes", "2", "--master-addr", "no.such.host.invalid"], 2, "no address is known for `no.such.host.invalid`"),
    (["--nnodes", "2", "--rdzv-backend", "c10d", "--rdzv-endpoint", "localhost:0"], 2, "0 is not allowed"),
    (["--nnodes", "2", "--rdzv-conf", "timeout=soon", "--master-addr", "127.0.0.1"], 2, "--rdzv-conf timeout wants seconds, not `soon`"),
])
def test_a_wrong_meeting_is_refused_before_anything_starts(muster, words, code, sentence):
    muster.write("tell.py", TELLS)
    done = muster("torchrun", *words, "tell.py")
    assert done.code == code and sentence in done.err and done.out == "", done


def test_a_short_token_is_refused(muster, hosts):
    muster.write("tell.py", TELLS)
    assert "MUSTER_TOKEN: a token must have at least 16 characters" in ended(hosts.start(0, "tell.py", env={"MUSTER_TOKEN": "short"}), 2).err()


def test_a_port_that_is_taken_is_named(muster, hosts):
    muster.write("tell.py", TELLS)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", hosts.port))
        taken.listen()
        done = ended(hosts.start(0, "tell.py"), 1)
    assert f"127.0.0.1:{hosts.port}" in done.err() and "--master-port" in done.err()
    assert os.listdir(muster.state / "jobs") == [] if (muster.state / "jobs").exists() else True
    assert not [pid for pid in processes_of(muster.home) if alive(pid)]
