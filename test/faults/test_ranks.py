# SPDX-License-Identifier: Apache-2.0
"""Ranks that end abnormally: by a signal, an exit code, lack of memory or an exception; and a rank that does not end."""

import os
import signal
from pathlib import Path

import pytest

from explained import ended, explains, first_attempt, go
from waiting import wait_for

CORE_PATTERN = Path("/proc/sys/kernel/core_pattern").read_text()
WAITS = "ulimit -c unlimited; echo attempt $MUSTER_ATTEMPT; until test -e go; do sleep 0.05; done"
NOTES = "import os, time\nrank, attempt = os.environ['MUSTER_RANK'], os.environ['MUSTER_ATTEMPT']\n" \
    "note = lambda: open('injected', 'w').write(f'{time.time_ns()}\\n')\nif attempt == '2': raise SystemExit(0)\n"


def python(muster, text, *flags, name="victim", ranks=3):
    muster.write("program.py", NOTES + text)
    return muster.submit("--name", name, "-n", ranks, *flags, "--", "python3", "program.py")


def noted(muster):
    return int(muster.wait_for_file("injected"))


@pytest.mark.row(1, "a rank is killed by {}")
@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGKILL, signal.SIGBUS], ids=lambda number: number.name)
def test_a_rank_that_a_signal_kills(muster, fault, number):
    muster.submit("--name", "victim", "-n", 3, "--restarts", 1, "--", "sh", "-c", WAITS)
    ranks = {rank["rank"]: rank["pid"] for rank in muster.wait_for_ranks("victim")["ranks"]}
    wait_for(lambda: len(muster.ok("logs", "victim").lines()) == 3, "all ranks' first line")
    fault.inject(os.kill, ranks[1], number)
    after = muster.wait_for_ranks("victim", attempt=2)
    assert not {rank["pid"] for rank in after["ranks"]} & set(ranks.values())
    go(muster)
    assert ended(muster, "victim", 0)["restarts"] == 1
    dumps = number != signal.SIGKILL and not CORE_PATTERN.startswith(("|", "/"))
    said = f"was killed by {number.name}" + " (core dumped)" * dumps
    fault.read(muster, "victim", named=f"rank 1 {said} · restarting, attempt 2 of 2")
    attempt = first_attempt(muster, "victim", 1, f"was killed by {number.name}")
    assert attempt["consequences"] == ["2 ranks were killed by SIGTERM"] or len(attempt["consequences"]) == 2
    explains(muster, "victim", f"Rank 1 was killed by {number.name}", "logs victim --rank 1 --attempt 1", *["gdb -c "] * dumps)
    assert sorted(muster.ok("logs", "victim", "--attempt", "all").lines()) == [f"[{rank}] attempt {n}" for rank in range(3) for n in (1, 2)]


@pytest.mark.row(2, "a rank exits with 7, its peers with 9 because of it")
def test_the_first_failure_wins_over_those_that_follow_from_it(muster, fault):
    python(muster, """
import signal, sys
signal.signal(signal.SIGTERM, lambda *_: os._exit(9))
open(f'up-{rank}', 'w').close()
if rank == '2':
    while not all(os.path.exists(f'up-{n}') for n in range(3)): pass
    note()
    sys.exit(7)
signal.pause()
""", "--restarts", 1)
    ended(muster, "victim", 0)
    fault.injected_at(noted(muster))
    fault.read(muster, "victim", named="rank 2 exited with code 7 · restarting, attempt 2 of 2")
    attempt = first_attempt(muster, "victim", 2, "rank 2 exited with code 7")
    assert attempt["exit"]["code"] == 7 and "code 9" in " ".join(attempt["consequences"])
    explains(muster, "victim", "Rank 2 exited with code 7", "--rank 2 --attempt 1")


@pytest.mark.row(3, "a rank takes more than its worker.memory, {}")
@pytest.mark.parametrize("policy", ["restarted", "never_on oom"])
def test_a_rank_that_is_out_of_memory(muster, fault, policy):
    flags = ["--memory", "100MiB", "--restarts", 1] + (["--set", "restarts.never_on=[oom]"] if "never" in policy else [])
    python(muster, "import signal\nif rank == '1':\n    note()\n    b = bytearray(400 << 20); b[::4096] = b'x' * len(b[::4096])\nsignal.pause()\n", *flags)
    job = ended(muster, "victim", 1 if "never" in policy else 0)
    fault.injected_at(noted(muster))
    cause = "rank 1 ran out of memory and was killed: used "
    fault.read(muster, "victim", named=cause, recovered="running again after" if job["attempt"] == 2 else None)
    fault.note = "watched by the agent; no cgroup"
    # Planned: no restart unless the policy asks for one. Today only `never_on` prevents it.
    assert job["attempt"] == (1 if "never" in policy else 2)
    assert "of its 100" in first_attempt(muster, "victim", 1, cause)["cause"]
    explains(muster, "victim", "ran out of memory", "worker.memory", "--rank 1 --attempt 1")


@pytest.mark.row(5, "a rank raises, another notices a moment later")
def test_the_first_ranks_traceback_is_on_top(muster, fault):
    python(muster, """
if rank == '1':
    note()
    raise RuntimeError('shapes do not match')
while not os.path.exists('injected'): pass
pid = os.getpid()
import signal
signal.signal(signal.SIGTERM, lambda *_: (_ for _ in ()).throw(ConnectionError('Connection closed by peer')))
signal.pause()
""", "--restarts", 1)
    ended(muster, "victim", 0)
    fault.injected_at(noted(muster))
    cause = "rank 1 raised RuntimeError: shapes do not match at program.py:"
    fault.read(muster, "victim", named=cause)
    first_attempt(muster, "victim", 1, cause)
    # `why` must show the whole traceback, above those of the followers.
    told = explains(muster, "victim", "Rank 1 raised RuntimeError: shapes do not match", "--rank 1 --attempt 1")
    assert "ConnectionError" not in told.splitlines()[0]


@pytest.mark.row(33, "a rank ignores SIGTERM")
def test_a_rank_that_ignores_sigterm(muster, fault):
    muster.submit("--name", "deaf", "--", "sh", "-c", "trap '' TERM INT HUP; echo ready > up; while :; do sleep 0.05; done")
    muster.wait_for_file("up")
    fault.inject(muster.ok, "stop", "deaf", "--grace", "300ms")
    job = ended(muster, "deaf", 130)
    said = "rank 0 did not end within 300 ms and was killed"
    assert job["state"] == "cancelled" and said in job["sentence"], job
    assert job["ranks"][0]["exit"]["signal"] == signal.SIGKILL
    fault.read(muster, "deaf", named=said, recovered=said)
    fault.note = "of which 300 ms are the grace"
