# SPDX-License-Identifier: Apache-2.0
"""What ranks leave or cause on their node: zombies, daemons, more processes than allowed."""

import os

import pytest

from explained import ended
from processes import all_pids, alive, memory_kib, parent, read, status
from ranks import DAEMON
from waiting import wait_for

CYCLES = 10_000
# Each cycle leaves an orphan that ends at once: its new parent, the agent, must reap it.
ORPHANS = """
import os, sys
cycles = int(sys.argv[1])
for each in range(cycles):
    if each == cycles // 5:
        open('fifth', 'w').write('x\\n')
        while not os.path.exists('counted'): pass
    if os.fork() == 0:
        if os.fork() == 0: os._exit(0)
        os._exit(0)
    os.wait()
open('all', 'w').write('x\\n')
while not os.path.exists('go'): pass
"""
# It limits itself, so that the rank is refused a process and the machine is not affected.
BOMB = """
import os, resource, signal, sys
resource.setrlimit(resource.RLIMIT_NPROC, (int(sys.argv[1]), int(sys.argv[1])))
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT): signal.signal(number, signal.SIG_IGN)
while True:
    try:
        os.fork()
    except OSError:
        open('full', 'w').write('x\\n')
        signal.pause()
"""
# Eight chains of processes that orphan each other, faster than they can be listed.
COMETS = """
import os, resource, signal, sys
resource.setrlimit(resource.RLIMIT_NPROC, (int(sys.argv[1]), int(sys.argv[1])))
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT): signal.signal(number, signal.SIG_IGN)
for each in range(8):
    if os.fork() == 0:
        os.setsid()
        lives = 0
        while True:
            if os.fork() != 0: os._exit(0)
            lives += 1
            if lives == 300: open('full', 'w').write('x\\n')
signal.pause()
"""


def ours():
    """Processes of this user, without threads."""
    return [pid for pid in all_pids() if status(pid, "Uid").split()[:1] == [str(os.getuid())]]


def threads():
    return sum(int(status(pid, "Threads") or 0) for pid in ours())


def own_memory(*pids):
    return sum(memory_kib(pid, "Anonymous") for pid in pids)


@pytest.mark.row(31, "a rank leaves 10,000 orphans, one after the other")
def test_orphans_are_reaped_and_cost_nothing(muster, fault):
    muster.write("orphans.py", ORPHANS)
    fault.inject(muster.submit, "--name", "orphans", "--", "/usr/bin/python3", "-S", "-E", "orphans.py", CYCLES)
    muster.wait_for_file("fifth")
    agent, guardian = muster.agent_of(muster.wait_for_ranks("orphans")["ranks"][0]["pid"])
    before = own_memory(agent, guardian)
    (muster.work / "counted").write_text("")
    muster.wait_for_file("all")
    dead = [pid for pid in all_pids() if parent(pid) in (agent, guardian) and status(pid, "State").startswith("Z")]
    wait_for(lambda: not [pid for pid in dead if status(pid, "State").startswith("Z")], "zombies to be reaped")
    fault.reached("recover")
    grown = own_memory(agent, guardian) - before
    assert grown < 1024, f"agent and guardian grew by {grown} KiB"
    fault.note = f"agent and guardian grew by {grown} KiB"
    (muster.work / "go").write_text("")
    ended(muster, "orphans", 0)


@pytest.mark.row(32, "a rank leaves a daemon and ends")
def test_a_daemon_ends_with_the_job_that_left_it(muster, fault):
    muster.write("daemon.py", DAEMON)
    muster.submit("--name", "haunted", "--set", "timeouts.leftovers=100ms", "--", "python3", "daemon.py", 3)
    ended(muster, "haunted", 1)
    pid = int((muster.work / "daemon").read_text())
    assert not alive(pid), "the job is done and a process of it lives"
    told = muster.sentences("haunted")
    fault.injected_at((muster.work / "daemon").stat().st_mtime_ns)
    fault.read(muster, "haunted", named="failed: rank 0 exited with code 3", recovered="failed: rank 0 exited with code 3")
    assert f"rank 0 left `python3 daemon.py 3` (pid {pid}) running" in told
    fault.note = "killed after `timeouts.leftovers`, and reported"


@pytest.mark.row(34, "a rank's processes are {}")
@pytest.mark.parametrize("program", [BOMB, COMETS], ids=["as many as there may be", "never the same for long"])
def test_a_fork_bomb_ends_with_its_job(muster, fault, program):
    muster.write("bomb.py", program)
    muster.submit("--name", "bomb", "--", "python3", "bomb.py", threads() + 200)
    muster.wait_for_file("full")
    agent, _ = muster.agent_of(muster.wait_for_ranks("bomb")["ranks"][0]["pid"])
    assert "running" in muster.ok("describe", "bomb").out
    fault.inject(muster.ok, "stop", "bomb", "--grace", "200ms")
    job = ended(muster, "bomb", 130)
    fault.reached("recover")
    assert "was killed" in job["sentence"], job
    assert "stopped by the user" in muster.ok("why", "bomb").out
    left = [pid for pid in ours() if b"bomb.py" in read(pid, "cmdline")]
    assert not left, f"the job is done and {len(left)} processes of it live"
    wait_for(lambda: not alive(agent), "the agent to leave")
    fault.note = "from `muster stop` to the last one's end, 200 ms of grace in it; without a cgroup the limit is the user's own"
