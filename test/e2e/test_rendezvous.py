# SPDX-License-Identifier: Apache-2.0
"""The rendezvous of an attempt (key-value store, barrier, fence), used by real processes on the agent's socket."""

import os
import re
import signal
from pathlib import Path

import pytest

PREAMBLE = "import os\nfrom rendezvous import *\nrank = os.environ['MUSTER_RANK']\n"


@pytest.fixture
def ranks(muster):
    """Runs a Python script on this many ranks; returns the result of the run."""
    muster.env["PYTHONPATH"] = str(Path(__file__).parent)

    def run(script, *flags, count=2):
        muster.write("rank.py", PREAMBLE + script)
        return muster("run", "-n", count, *flags, "--", "python3", "rank.py")
    return run


def said(done):
    assert done.code == 0, done
    return sorted(done.lines())


def test_what_one_sets_another_reads(ranks):
    done = ranks("if rank == '0': call('set', 'greeting', 'hello')\nelse: print(call('wait', 'greeting', seconds=60))\n")
    assert said(done) == ["[1] (0, 'hello', [])"]


def test_add_counts_everybody_once(ranks):
    done = ranks("for _ in range(50): call('add', 'sum', amount=1)\ncall('barrier', 'done')\nprint(call('get', 'sum')[1])\n", count=4)
    assert said(done) == [f"[{rank}] 200" for rank in range(4)]


def test_compare_and_set_has_one_winner(ranks):
    done = ranks("print(call('compare_and_set', 'leader', 'r' + rank)[1])\n", count=4)
    assert len({line.split()[1] for line in said(done)}) == 1


def test_keys_are_listed_and_removed(ranks):
    script = "[call('set', key, 'x') for key in ('a/1', 'a/2', 'b/1')]\nprint(call('list', 'a/')[2], call('remove', 'a/1')[0], call('get', 'a/1')[0])\n"
    assert said(ranks(script, count=1)) == ["['a/1', 'a/2'] 0 5"]


def test_a_fence_gives_everybody_everybodys_value(ranks):
    assert said(ranks("print(call('fence', 'x', 'from ' + rank)[2])\n", count=3)) == [f"[{rank}] ['from 0', 'from 1', 'from 2']" for rank in range(3)]


def test_ranks_of_two_nodes_meet(ranks):
    done = ranks("print(call('fence', 'x', os.environ['MUSTER_NODE'])[2])\n", "--nodes", "2")
    assert said(done) == [f"[{rank}] ['0', '0', '1', '1']" for rank in range(4)]


def test_a_barrier_that_times_out_says_who_is_missing(ranks):
    script = """
if rank == '2':
    [call('wait', f'told {other}', seconds=60) for other in '01']
else:
    print(call('barrier', 'epoch', seconds=1)[:2])
    call('set', 'told ' + rank, 'x')
"""
    done = ranks(script, count=3)
    lines = said(done)
    assert [line[:8] for line in lines] == ["[0] (4, ", "[1] (4, "]
    assert all(re.search(r"barrier `epoch` timed out after 1 s: rank 2 .*is missing \(1 of 3\)", line) for line in lines)


def test_who_waits_for_a_rank_that_died_is_told(ranks):
    script = """
import signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if rank == '0':
    call('set', 'deaf', 'x')
    print(call('barrier', 'epoch')[:2])
else:
    call('wait', 'deaf', seconds=60)
    call('wait', 'never', seconds=1)
    raise SystemExit(3)
"""
    done = ranks(script, "--grace", "30s")
    assert done.code == 1
    assert re.fullmatch(r"\[0\] \(9, 'attempt 1 has ended: rank 1 .*exited with code 3'\)\n", done.out)


def test_an_attempt_begins_without_the_keys_of_the_last(ranks):
    script = "print(call('add', 'count', amount=1)[1], call('get', 'count', attempt=1)[0])\nraise SystemExit(2 - int(os.environ['MUSTER_ATTEMPT']))\n"
    assert said(ranks(script, "--restarts", "1", count=1)) == ["1 0", "1 9"]


@pytest.mark.parametrize("shape, statuses", [(["-n", "2"], "0 0"), (["-n", "1", "--nodes", "2"], "15 15")], ids=["one node", "two nodes"])
def test_ranks_meet_again_after_a_controllers_death(ranks, muster, shape, statuses):
    """On one node the rendezvous runs in the agent and loses nothing. On several nodes it is lost with the controller: reading
    `kept` fails with 15 (data_loss), and no counter restarts silently."""
    muster.write("rank.py", PREAMBLE + """
if rank == '0':
    print('set', call('set', 'kept', 'x')[0])
    while not os.path.exists('killed'): os.system('sleep 0.05')
    print('got', call_again('wait', 'late', seconds=60)[1], call('get', 'kept')[0], call('add', 'count', amount=1)[0])
else:
    while not os.path.exists('killed'): os.system('sleep 0.05')
    call_again('set', 'late', 'y')
""")
    run = muster.start("run", *shape, "--", "python3", "rank.py").says("set 0")
    os.kill(muster.controller(), signal.SIGKILL)
    (muster.work / "killed").write_text("")
    assert f"[0] got y {statuses}" in said(run.end())


def test_a_stranger_to_the_protocol_harms_nobody(ranks):
    script = """
import socket
for junk in (b'', b'GET / HTTP/1.1\\r\\n\\r\\n', b'\\xff' * 100, (5).to_bytes(4, 'little') + b'junk!', (1 << 31).to_bytes(4, 'little')):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(os.environ['MUSTER_SOCKET'])
        connection.sendall(junk)
print(call('add', 'n', amount=1)[1], call('get', 'n', index=99)[0], call('get', 'n', attempt=7)[0])
"""
    assert said(ranks(script, count=1)) == ["1 3 9"]


def test_a_rank_may_speak_grpc_on_the_same_socket(ranks):
    """Blocking calls and others at once on one channel, with Python's own gRPC."""
    script = """
import grpc
channel = grpc.insecure_channel('unix:' + os.environ['MUSTER_SOCKET'])
worker = channel.unary_unary('/muster.wire.Worker/Call')
def by_grpc(kind, key, value='', seconds=0):
    return worker.future(request(kind, key, value, '', 0, (), seconds, int(os.environ['MUSTER_ATTEMPT']), int(os.environ['MUSTER_INDEX'])))
waits = by_grpc('wait', 'late', seconds=60)
barrier = by_grpc('barrier', 'both', seconds=60)
print('met', answer_of(barrier.result())[0])
if rank == '0':
    print('set', answer_of(by_grpc('set', 'late', 'x').result())[0], answer_of(by_grpc('get', 'nothing').result())[0])
print('got', answer_of(waits.result())[1])
never = by_grpc('wait', 'never', seconds=60)
"""
    assert said(ranks(script)) == ["[0] got x", "[0] met 0", "[0] set 0 5", "[1] got x", "[1] met 0"]
