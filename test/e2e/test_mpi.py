# SPDX-License-Identifier: Apache-2.0
"""`framework: mpi`: ranks meet by PMIx. The ranks call libpmix as an MPI library does; test/frameworks/mpi runs real MPI programs."""

import os
import re

import pytest

from mpi_rank import mpi_rank
from pods import Pods
from processes import alive, command_line, tree
from waiting import wait_for


@pytest.fixture
def program(muster):
    """`program(lines)`: the words that start a rank that meets its peers, runs these lines and leaves."""
    def write(lines=""):
        muster.write("rank.py", mpi_rank(lines))
        return ["--framework", "mpi", "--", "python3", "rank.py"]
    before = left_in_shared_memory()
    yield write
    muster.wait_until_idle()
    wait_for(lambda: left_in_shared_memory() <= before, lambda: f"the removal of {left_in_shared_memory() - before}")


def left_in_shared_memory():
    """The folders of MPI jobs whose owner, which their names tell, has ended. Tests beside this one have folders too."""
    found = (re.match(rf"muster-{os.geteuid()}-mpi-(\d+)-", name) for name in os.listdir("/dev/shm"))
    return {match.string for match in found if match and not alive(int(match[1]))}


def test_ranks_of_one_node_meet(muster, program):
    done = muster.ok("run", "-n", "2", *program())
    assert sorted(done.lines()) == [f"[{rank}] rank {rank} of 2, 2 here, sees [100, 101], attempt 1" for rank in (0, 1)]


def test_ranks_of_several_nodes_exchange_their_data(muster, program):
    done = muster.ok("run", "-n", "2", "--nodes", "2", *program())
    assert sorted(done.lines()) == [f"[{rank}] rank {rank} of 4, 2 here, sees [100, 101, 102, 103], attempt 1" for rank in range(4)]


def test_pods_exchange_data(muster, program, tmp_path):
    """The processes of a job's pods, run without a cluster; test/cluster/test_mpi.py has real ones."""
    pods = Pods(muster, tmp_path / "pods")
    program()
    coordinator = pods.coordinate(nodes=2, workers=2, framework="mpi", command=["python3", "rank.py"])
    agents = [pods.agent(index) for index in (0, 1)]
    done = coordinator.end()
    pods.kill_all()
    assert done.code == 0, done
    assert [agent.end().code for agent in agents] == [0, 0]
    assert all(f"rank {rank} of 4, 2 here, sees [100, 101, 102, 103], attempt 1" in done.out for rank in range(4)), done


def test_an_exchange_between_nodes_that_hangs_names_the_missing_ranks(muster, program):
    words = program()
    path = muster.work / "rank.py"
    path.write_text("import os, signal\nif os.environ['MUSTER_RANK'] == '3': signal.pause()\n" + path.read_text())
    job = muster.submit("-n", "2", "--nodes", "2", "--set", "hangs.after=1s", *words)
    missing = r"MPI_Init or MPI_Finalize waits for rank 2 on \S+ and rank 3 on \S+ \(2 of 4\)"
    wait_for(lambda: re.search(missing, muster.ok("why", job).out), lambda: muster.ok("why", job).out)
    muster.ok("stop", job)


def test_a_rank_of_another_node_is_asked_for_its_data(muster, program):
    """Without a fence that collects data, libpmix fetches a peer's data when they are wanted."""
    words = program()
    path = muster.work / "rank.py"
    path.write_text(path.read_text().replace("\nmeet()\n", "\ncheck(pmix.PMIx_Fence(None, 0, None, 0))\n"))
    done = muster.ok("run", "--nodes", "2", *words)
    assert sorted(done.lines()) == [f"[{rank}] rank {rank} of 2, 1 here, sees [100, 101], attempt 1" for rank in (0, 1)]


def test_an_abort_names_its_rank(muster, program):
    abort = "if me.rank == 1: pmix.PMIx_Abort({0}, b'', None, 0); sys.exit({0})\nimport signal; signal.pause()"
    done = muster("run", "-n", "2", "--propagate", *program(abort.format(7)))
    assert done.code == 7
    assert "failed: rank 1 exited with code 7: called MPI_Abort(7)" in done.err
    assert "rank 1 exited with code 1: called MPI_Abort(0)" in muster("run", "-n", "2", *program(abort.format(0))).err


def test_a_killed_rank_meets_its_peers_in_the_next_attempt(muster, program):
    kill = "if me.rank == 3 and os.environ['MUSTER_ATTEMPT'] == '1': os.kill(os.getpid(), 9)\nmeet()"
    done = muster.ok("run", "-n", "2", "--nodes", "2", "--restarts", "1", *program(kill))
    assert "rank 3 was killed by SIGKILL" in done.err
    assert [line for line in sorted(done.lines()) if "attempt 2" in line] == [
        f"[{rank}] rank {rank} of 4, 2 here, sees [100, 101, 102, 103], attempt 2" for rank in range(4)]


def test_a_rank_that_leaves_without_mpi_finalize_has_failed(muster, program):
    """Its peer waits in a fence and fails too, but because of it."""
    done = muster("run", "-n", "2", *program("if me.rank == 0: os._exit(0)\nmeet()"))
    assert done.code == 1
    assert "rank 0 exited with code 1: its program ended with exit code 0, but without MPI_Finalize" in done.err


def test_a_script_that_joins_no_world_is_reported(muster, program):
    program()
    done = muster.ok("run", "-n", "2", "--framework", "mpi", "--", "sh", "-c", "echo $OMPI_COMM_WORLD_RANK")
    assert sorted(done.lines()) == ["[0] 0", "[1] 1"]
    assert "ended without joining the MPI world of 2 ranks: it did not call MPI_Init" in done.err


def test_a_killed_agent_leaves_no_files(muster, program):
    """The guardian ends the ranks and removes the folders of the PMIx service; the fixture looks for them."""
    wait = "print('up', file=open(f'up-{me.rank}', 'w'), flush=True); import signal; signal.pause()"
    job = muster.submit("-n", "2", "--restarts", "0", *program(wait))
    for rank in (0, 1):
        muster.wait_for_file(f"up-{rank}")
    agent, _ = muster.agent_of(muster.job(job)["ranks"][0]["pid"])
    muster.kill(agent)
    assert "failed" in muster.wait_for_state("failed", job)["state"]


def test_ranks_whose_pmix_helper_fails_are_stopped_because_of_it(muster, program):
    wait = "print('up', file=open(f'up-{me.rank}', 'w'), flush=True); import signal; signal.pause()"
    job = muster.submit("-n", "2", "--restarts", "0", *program(wait))
    for rank in (0, 1):
        muster.wait_for_file(f"up-{rank}")
    agent, _ = muster.agent_of(muster.job(job)["ranks"][0]["pid"])
    muster.kill(next(pid for pid in tree(agent) if "pmix" in command_line(pid)))
    muster.wait_for_state("failed", job)
    why = r"was stopped because of MPI on \S+: the PMIx helper was killed by SIGKILL"
    assert re.match(f"Rank [01] {why}", muster.ok("why", job).out), muster.ok("why", job).out
    states = re.findall(r"^  rank \d .*(was stopped because .*)", muster.ok("describe", job).out, re.MULTILINE)
    assert sorted(bool(re.match(why, state)) for state in states) == [False, True] and "was stopped because a service failed" in states


def test_ranks_of_two_nodes_meet_after_the_controller_was_killed(muster, program):
    gates = [muster.work / f"gate-{rank}" for rank in (0, 1)]
    for gate in gates:
        os.mkfifo(gate)
    wait = "print('up', file=open(f'up-{me.rank}', 'w'), flush=True); open(f'gate-{me.rank}').read(); meet(); print('met', flush=True)"
    job = muster.submit("--nodes", "2", "--restarts", "0", *program(wait))
    for rank in (0, 1):
        muster.wait_for_file(f"up-{rank}")
    muster.kill_controller()
    muster.ok("ps")
    for gate in gates:
        gate.write_text("")
    muster.wait_for_state("succeeded", job)
    assert muster.ok("logs", job).out.count("met") == 2
