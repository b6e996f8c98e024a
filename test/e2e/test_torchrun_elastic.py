# SPDX-License-Identifier: Apache-2.0
"""Hosts of `muster torchrun` that join and leave after the start."""

import signal

import pytest

from processes import alive, processes_of, words_of
from typed_hosts import TELLS_AND_WAITS, WAITS, Elastic, Hosts, clear_away, ended, free_port, ready, told
from waiting import wait_for


@pytest.fixture
def hosts(muster):
    return Hosts(muster)


def test_the_others_go_on_without_a_host_that_was_lost(muster, hosts):
    gang = Elastic(muster, hosts, "2:3", last_call=3)  # by then the third host must have come
    second, third = gang.start(1), gang.start(2)
    told(gang.first, "rank 0 of world 4, host 0 of 3, restart 0")
    told(second, "of world 4"), told(third, "of world 4")
    second.signal(signal.SIGKILL).process.wait()
    told(gang.first, "was lost: no report", "restarting, attempt 2 of 3", "continuing with 2 hosts, 3 ranks", "rank 0 of world 3, host 0 of 2, restart 1")
    told(third, "continuing with 2 hosts, 3 ranks", "rank 2 of world 3, host 1 of 2, restart 1")
    row = next(line for line in muster.ok("ps").out.splitlines() if "running" in line and "-node" not in line)
    assert row.rstrip().endswith("2 hosts"), row
    gang.first.signal(signal.SIGTERM)
    ended(gang.first, 1), ended(third, 1)
    clear_away(muster)


def test_a_host_that_comes_to_a_running_gang_makes_it_bigger(muster, hosts):
    """A new host uses up no restart, and its ranks count."""
    gang = Elastic(muster, hosts, "1:3")
    told(gang.first, "rank 0 of world 2, host 0 of 1, restart 0")
    second = gang.start(1, restarts=0)
    told(gang.first, " joined: it takes part in the next attempt, which starts in 1 s", "restarting with 2 hosts, 3 ranks", "rank 1 of world 3, host 0 of 2, restart 0")
    told(second, "rank 2 of world 3, host 1 of 2, restart 0")
    assert "running: 2 ranks" not in second.err() and "\n  " not in second.err(), second
    third = gang.start(2)
    told(third, "rank 3 of world 4, host 2 of 3, restart 0"), told(second, "rank 2 of world 4, host 1 of 3, restart 0")
    spare = gang.start(2)
    told(spare, "waiting at localhost:")
    third.signal(signal.SIGTERM)
    told(spare, "rank 3 of world 4, host 2 of 3, restart 1")
    ended(third, 1)
    gang.first.signal(signal.SIGTERM)
    for command in (gang.first, second, spare):
        ended(command, 1)


def test_who_stops_a_host_that_is_not_needed_stops_that_host(muster, hosts):
    gang = Elastic(muster, hosts, "1:2")
    second = gang.start(1)
    told(gang.first, "of world 3"), told(second, "of world 3")
    second.signal(signal.SIGINT)
    assert "the job continues without this host" in ended(second, 1).err()
    told(gang.first, "which leaves the job · restarting", "continuing with 1 host, 2 ranks", "rank 0 of world 2, host 0 of 1, restart 1")
    gang.first.signal(signal.SIGTERM)
    ended(gang.first, 1)


def test_too_few_hosts_are_waited_for_and_cost_no_restart(muster, hosts):
    muster.write("wait.py", TELLS_AND_WAITS)
    words = ["--max-restarts", "3", "--rdzv-conf", "join_timeout=6,last_call_timeout=1", "wait.py"]
    first, other = hosts.both(*words, meet="c10d")
    told(first, "of world 3"), told(other, "of world 3")
    other.signal(signal.SIGKILL).process.wait()
    assert "failed: only 1 of 2 hosts joined within 6 s, in attempt 2 of 4" in ended(first, 1).err(), first
    clear_away(muster)


NOTICES = """
import os, socket, sys
rank, port = int(os.environ["RANK"]), int(sys.argv[1])
if rank == 0:
    with socket.create_server(("127.0.0.1", port)) as server:
        peer, _ = server.accept()
    print("ready", flush=True)
    peer.recv(1)
    raise ConnectionError("Connection closed by peer")
elif rank == 2:
    while True:
        try:
            peer = socket.create_connection(("127.0.0.1", port))
            break
        except ConnectionRefusedError:
            pass
    print("ready", flush=True)
    peer.recv(1)
else:
    print("ready", flush=True)
    import signal
    signal.pause()
"""


def test_the_host_that_was_lost_is_the_cause_and_not_who_noticed(muster, hosts):
    muster.write("notice.py", NOTICES)
    first, other = hosts.both("notice.py", free_port())
    ready(first, other)
    other.signal(signal.SIGKILL).process.wait()
    cause = ended(first, 1).err().split("failed: ")[-1]
    assert "was lost: no report for" in cause and "ConnectionError" not in cause, first
    assert "was lost" in muster.ok("why", cause.split()[-1]).out
    clear_away(muster)


def test_nobody_waits_for_a_host_that_is_gone_when_the_job_is_stopped(muster, hosts):
    muster.write("wait.py", WAITS)
    first, other = hosts.both("--max-restarts", "1", "wait.py")
    ready(first, other)
    other.signal(signal.SIGKILL).process.wait()
    wait_for(lambda: any(b"link-down" in path.read_bytes() for path in (muster.state / "jobs").rglob("*") if path.is_file()), "the link to be missed")
    first.signal(signal.SIGTERM)
    done = ended(first, 1).err()
    assert "cancelled: stopped by the user" in done and "was lost" not in done
    clear_away(muster)


def test_ranks_do_not_outlive_a_command_that_hangs(muster, hosts):
    """The other hosts continue without it. Its own agent decides when its ranks end, later on a busy machine; checked here: they end."""
    gang = Elastic(muster, hosts, "1:2")
    second = gang.start(1)
    told(gang.first, "of world 3"), told(second, "rank 2 of world 3")
    second.signal(signal.SIGSTOP)
    told(gang.first, "was lost: no report")
    wait_for(lambda: not [pid for pid in processes_of(muster.home) if "RANK=2" in words_of(pid, "environ") and alive(pid)], "its ranks to be dead")
    second.signal(signal.SIGCONT)
    assert "no message from" in ended(second, 1).err() or "continues without this host" in second.err()
    told(gang.first, "rank 0 of world 2, host 0 of 1, restart 1")
    gang.first.signal(signal.SIGTERM)
    ended(gang.first, 1)
