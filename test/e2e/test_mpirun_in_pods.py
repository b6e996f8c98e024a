# SPDX-License-Identifier: Apache-2.0
"""`muster mpirun` called by a rank in a pod: its ranks start in the pods of the job, run without a cluster."""

import re
import signal

import pytest

from mpi_rank import mpi_rank
from pods import Pods
from waiting import wait_for

PLACE = "echo $OMPI_COMM_WORLD_RANK of $OMPI_COMM_WORLD_SIZE, $OMPI_COMM_WORLD_LOCAL_RANK on $MUSTER_NODE"
SHIM = "PATH=$($MUSTER_PROGRAM mpirun --shim):$PATH"


@pytest.fixture
def pods(muster, tmp_path):
    found = Pods(muster, tmp_path / "p")  # short, because paths of sockets may have 107 bytes
    yield found
    found.kill_all()


def job(script, **more):
    """Two pods with two ranks each, of which rank 0 runs the script and the others wait for its end."""
    waits = f"if [ $MUSTER_RANK = 0 ]; then {SHIM}; {script}; code=$?; touch over; exit $code; fi; until test -e over; do sleep 0.05; done"
    return {"nodes": 2, "workers": 2, "command": ["sh", "-c", waits]} | more


@pytest.fixture
def records(muster):
    """Variables of ranks that call mpirun: where it keeps the records of its job."""
    return {"MUSTER_STATE_DIR": str(muster.state)}


def agent_of(pods, group, index, number):
    """The agent of a pod in a group of its own; `number`: of its address."""
    own = {"MUSTER_POD_GROUP": str(group), "JOB_COMPLETION_INDEX": str(index)}
    return pods.start("agent", pods.environment(f"group-{group}-{index}", f"g{group}-{index}", pods.address(number), **own))


def lines(done):
    return sorted(line.partition("] ")[2] for line in done.out.splitlines() if line.startswith("["))


def test_ranks_start_in_all_pods_of_the_job(pods, records):
    coordinator = pods.coordinate(env=records, **job(f"mpirun -q -n 4 sh -c '{PLACE}'"))
    agents = [pods.agent(index) for index in (0, 1)]
    done = coordinator.end()
    assert done.code == 0, done
    assert lines(done) == ["0 of 4, 0 on 0", "1 of 4, 1 on 0", "2 of 4, 0 on 1", "3 of 4, 1 on 1"], done
    assert [agent.end().code for agent in agents] == [0, 0]


def test_ranks_in_pods_meet_by_pmix(pods, records):
    pods.muster.write("meet.py", mpi_rank())
    coordinator = pods.coordinate(env=records, **job("mpirun -q -n 4 python3 meet.py"))
    for index in (0, 1):
        pods.agent(index)
    done = coordinator.end()
    assert done.code == 0, done
    assert lines(done) == [f"rank {rank} of 4, 2 here, sees {list(range(100, 104))}, attempt 1" for rank in range(4)], done


def test_the_exit_code_of_a_rank_reaches_the_script(pods, records):
    coordinator = pods.coordinate(env=records, **job("mpirun -q -n 4 sh -c 'test $OMPI_COMM_WORLD_RANK != 3 || exit 7; sleep 600'; echo code $?"))
    for index in (0, 1):
        pods.agent(index)
    done = coordinator.end()
    assert done.code == 0 and lines(done) == ["code 7"], done


def test_after_the_loss_of_a_pod_the_next_attempt_starts_its_own_ranks(pods, records):
    script = "mpirun -q -n 4 sh -c 'echo up $MUSTER_JOB_NAME; until test -e go; do sleep 0.05; done'"
    coordinator = pods.coordinate(env=records, **job(script, restarts={"limit": 1}))
    agents = [pods.agent(index) for index in (0, 1)]
    wait_for(lambda: coordinator.out().count("[0] up") == 4, lambda: f"four ranks of {coordinator}")
    assert agents[1].signal(signal.SIGTERM).end().code == 128 + signal.SIGTERM
    pods.agent(1, uid="another")
    wait_for(lambda: coordinator.out().count("[0 #2] up") == 4, lambda: f"four more ranks of {coordinator}")
    pods.muster.write("go", "")
    assert coordinator.end().code == 0
    assert "running; muster ended" not in coordinator.err(), coordinator


def test_a_launcher_has_a_pod_of_its_own(pods, records):
    groups = [{"name": "launcher", "command": ["sh", "-c", f"{SHIM} mpirun -q sh -c '{PLACE}'"],
               "env": {"MUSTER_MPIRUN_GROUPS": "worker", "MUSTER_MPIRUN_SLOTS": "2"}},
              {"name": "worker", "nodes": 2, "command": ["sleep", "1000"], "success": "background"}]
    coordinator = pods.coordinate(env=records, groups=groups)
    for group, index, number in ((0, 0, 2), (1, 0, 3), (1, 1, 4)):
        agent_of(pods, group, index, number)
    done = coordinator.end()
    assert done.code == 0, done
    assert lines(done) == ["0 of 4, 0 on 0", "1 of 4, 1 on 0", "2 of 4, 0 on 1", "3 of 4, 1 on 1"], done


def test_an_agent_whose_folder_is_too_long_for_a_socket_says_so_once(pods):
    coordinator = pods.coordinate(command=["sh", "-c", "echo socket=$MUSTER_SOCKET"])
    agent = pods.agent(0, MUSTER_POD_FOLDER=str(pods.folder / ("x" * 100)))
    done = coordinator.end()
    assert done.code == 0 and lines(done) == ["socket="], done
    assert agent.end().code == 0
    assert re.findall(r": ranks have no socket for \S+ rendezvous.* has \d+ bytes; it can have at most \d+", done.err), done
    assert done.err.count("ranks have no socket") == 1, done
