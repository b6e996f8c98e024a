# SPDX-License-Identifier: Apache-2.0
"""MPI ranks on hosts over a real sshd: they meet by PMIx, with no port but those of their own, and again after a restart."""

from mpi_rank import mpi_rank
from waiting import wait_for


def run(desk, lines, *flags):
    return desk.muster("run", "--backend", "ssh", "--hosts", "a1,a2,a3,a4", "-n", "2", "--framework", "mpi",
                       "--workdir", "/", *flags, "--", "python3", "-c", mpi_rank(lines))


def test_ranks_of_four_hosts_exchange_their_data(network, hosts, desk):
    done = run(desk, "")
    assert done.returncode == 0, done.stderr
    for rank in range(8):
        assert f"rank {rank} of 8, 2 here, sees {list(range(100, 108))}, attempt 1" in done.stdout


def test_a_killed_rank_meets_its_peers_in_the_next_attempt(network, hosts, desk):
    shared = lambda: set(hosts[0].run("sh", "-c", "ls -d /dev/shm/muster-* 2>/dev/null || true").split())  # of all hosts: they share it
    before = shared()
    kill = "if me.rank == 5 and os.environ['MUSTER_ATTEMPT'] == '1': os.kill(os.getpid(), 9)\nmeet()"
    done = run(desk, kill, "--restarts", "1")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(", attempt 2") == 8 and "rank 5 on a3 was killed by SIGKILL" in done.stderr
    wait_for(lambda: shared() <= before, lambda: f"only {before} in {shared()}")
