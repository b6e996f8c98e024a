# SPDX-License-Identifier: Apache-2.0
"""muster pod: the processes in the pods of a Kubernetes job, run without a cluster."""

import contextlib
import os
import select
import shutil
import signal
import socket
import ssl
import tempfile
import threading

import pytest

from pods import AGENT_PORT, Pods, Viewers
from processes import alive, parent
from waiting import wait_for

RANKS = {"nodes": 2, "workers": 2}
SAYS = 'echo "rank $MUSTER_RANK of $MUSTER_WORLD_SIZE, attempt $MUSTER_ATTEMPT"'
WAITS = f'{SAYS}; echo $$ > rank-$MUSTER_RANK-$MUSTER_ATTEMPT; until test -e go; do sleep 0.05; done'


@pytest.fixture
def pods(muster, tmp_path):
    found = Pods(muster, tmp_path / "pods")
    yield found
    found.kill_all()


def shell(text, **more):
    return RANKS | {"command": ["sh", "-c", text]} | more


def rank(pods, number, attempt=1):
    return int(pods.muster.wait_for_file(f"rank-{number}-{attempt}"))


def go(pods):
    pods.muster.write("go", "")


def test_a_job_of_two_pods_runs_and_all_end_well(pods):
    coordinator = pods.coordinate(**shell(SAYS))
    agents = [pods.agent(index) for index in (0, 1)]
    done = coordinator.end()
    assert done.code == 0, done
    assert [agent.end().code for agent in agents] == [0, 0]
    for number in range(4):
        assert f"rank {number} of 4, attempt 1" in done.out, done
    assert pods.failure_message().startswith("succeeded"), pods.failure_message()


def test_agents_that_came_first_wait_for_their_coordinator(pods):
    agents = [pods.agent(index) for index in (0, 1)]
    coordinator = pods.coordinate(**shell(SAYS))
    assert coordinator.end().code == 0
    assert [agent.end().code for agent in agents] == [0, 0]


def test_a_job_that_failed_is_told_by_the_verdict(pods):
    coordinator = pods.coordinate(**shell('test "$MUSTER_RANK" != 3 || exit 7; sleep 600'))
    agents = [pods.agent(index) for index in (0, 1)]
    wait_for(lambda: pods.failed(), lambda: f"the failed port: {coordinator}")
    assert [agent.end().code for agent in agents] == [1, 1]
    again = pods.agent(1).end()
    assert again.code == 1 and "exited with code 7" in again.err, again
    verdict = pods.verdict()
    assert coordinator.end().code == 0
    told = verdict.end()
    assert told.code == 1 and "rank 3" in told.out and "code 7" in told.out, told
    assert pods.failure_message("verdict") == told.out.strip()
    assert len(pods.failure_message()) <= 4096 and "rank 3" in pods.failure_message()


def test_a_job_that_cannot_run_is_told_by_the_verdict(pods):
    coordinator = pods.coordinate(nodes=2).says("the job cannot run")
    verdict = pods.verdict()
    assert coordinator.end().code == 0
    told = verdict.end()
    assert told.code == 1 and "the job cannot run" in told.out, told


def test_ranks_have_time_to_end_when_their_pod_is_taken(pods):
    saves = f"trap 'sleep 1; echo saved; exit 0' TERM; {SAYS}; echo $$ > rank-$MUSTER_RANK-$MUSTER_ATTEMPT; until test -e go; do sleep 0.05; done"
    coordinator = pods.coordinate(**shell(saves, restarts={"limit": 1}, timeouts={"stop": "20s"}))
    agents = [pods.agent(index) for index in (0, 1)]
    assert [rank(pods, number) for number in (2, 3)]
    agents[1].signal(signal.SIGTERM).end()
    coordinator.says("[2] saved").says("[3] saved")
    pods.kill_all()


def test_a_rank_that_dies_is_restarted_in_its_pod(pods):
    coordinator = pods.coordinate(**shell(WAITS, restarts={"limit": 1}))
    agents = [pods.agent(index) for index in (0, 1)]
    os.kill(rank(pods, 2), signal.SIGKILL)
    assert [rank(pods, number, attempt=2) for number in range(4)]
    go(pods)
    assert coordinator.end().code == 0
    assert [agent.end().code for agent in agents] == [0, 0]


def test_an_agent_that_was_killed_comes_again_and_its_job_goes_on(pods):
    coordinator = pods.coordinate(**shell(WAITS, restarts={"limit": 1}))
    agents = [pods.agent(index) for index in (0, 1)]
    old = rank(pods, 2)
    os.kill(parent(old), signal.SIGKILL)
    assert agents[1].end().code != 0
    wait_for(lambda: not alive(old), "the rank to go with its agent")
    agents[1] = pods.agent(1)
    assert [rank(pods, number, attempt=2) for number in range(4)]
    go(pods)
    assert coordinator.end().code == 0
    assert [agent.end().code for agent in agents] == [0, 0]


def test_a_pod_that_is_ended_says_so_and_another_takes_its_place_at_once_and_uses_up_no_restart(pods):
    coordinator = pods.coordinate(**shell(WAITS))
    agents = [pods.agent(index) for index in (0, 1)]
    rank(pods, 2)
    assert agents[1].signal(signal.SIGTERM).end().code == 128 + signal.SIGTERM
    agents[1] = pods.agent(1, uid="another")
    assert [rank(pods, number, attempt=2) for number in range(4)]
    coordinator.says("its pod is being terminated")
    assert "no report for" not in coordinator.err(), coordinator
    go(pods)
    assert coordinator.end().code == 0
    assert [agent.end().code for agent in agents] == [0, 0]


def test_who_stays_behind_the_work_is_in_nobodys_way(pods):
    """A pod stays after its work so that the cluster sees it for a while; here longer than the test runs."""
    job, stay = shell(WAITS, restarts={"limit": 1}), "1h"
    coordinator = pods.coordinate(stay=stay, **job)
    agents = [pods.agent(index, MUSTER_POD_STAY=stay) for index in (0, 1)]
    rank(pods, 2)
    agents[1].signal(signal.SIGTERM)
    replaced = [agents[1], coordinator]
    agents[1] = pods.agent(1, uid="another", MUSTER_POD_STAY=stay)
    assert [rank(pods, number, attempt=2) for number in range(4)]
    coordinator.signal(signal.SIGTERM)
    second = pods.coordinate(uid="d", pod="coordinator-2", stay=stay, **job).says("taking over from an earlier coordinator")
    second.says("attempt 2")
    assert all(alive(each.pid) for each in replaced)
    go(pods)
    assert second.end().code == 0
    assert [agent.end().code for agent in agents] == [0, 0]


def test_a_coordinator_that_was_killed_goes_on_where_it_was(pods):
    job = shell(WAITS)
    first = pods.coordinate(**job)
    agents = [pods.agent(index) for index in (0, 1)]
    ranks = [rank(pods, number) for number in range(4)]
    first.signal(signal.SIGKILL).end()
    second = pods.coordinate(**job).says("rank 3 of 4")
    assert all(alive(pid) for pid in ranks)
    go(pods)
    assert second.end().code == 0
    assert [agent.end().code for agent in agents] == [0, 0]


def test_a_coordinator_in_another_pod_learns_the_job_from_its_agents(pods):
    job = shell(WAITS + '; echo "rank $MUSTER_RANK ends"', restarts={"limit": 1})
    first = pods.coordinate(**job)
    agents = [pods.agent(index) for index in (0, 1)]
    os.kill(rank(pods, 1), signal.SIGKILL)
    ranks = [rank(pods, number, attempt=2) for number in range(4)]
    first.signal(signal.SIGKILL).end()
    second = pods.coordinate(uid="d", pod="coordinator-2", **job).says("taking over from an earlier coordinator")
    second.says("attempt 2")
    assert all(alive(pid) for pid in ranks)
    go(pods)
    done = second.end()
    assert done.code == 0, done
    assert "rank 3 ends" in done.out, done
    # The first one may have printed it before it was killed.
    assert "rank 3 of 4, attempt 2" in first.out() + done.out, done
    assert [agent.end().code for agent in agents] == [0, 0]


def test_nobody_gets_in_without_the_token(pods):
    coordinator = pods.coordinate(**shell(SAYS))
    wait_for(lambda: pods.reachable(AGENT_PORT), lambda: f"the agents' port: {coordinator}")
    with socket.create_connection((pods.address(1), AGENT_PORT)) as plain:
        plain.settimeout(30)
        plain.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        assert b"muster" not in plain.recv(1000)
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with pytest.raises((ssl.SSLError, ConnectionError)), socket.create_connection((pods.address(1), AGENT_PORT)) as raw:
        with context.wrap_socket(raw) as stranger:
            stranger.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
            assert stranger.recv(1000) == b""
            raise ConnectionError("hung up")
    pods.muster.write("go", "")
    agents = [pods.agent(index) for index in (0, 1)]
    assert coordinator.end().code == 0
    assert [agent.end().code for agent in agents] == [0, 0]


class Recorder(threading.Thread):
    """A relay between an agent and its coordinator with its own address; keeps the first bytes that the agent sends."""

    def __init__(self, pods):
        super().__init__(daemon=True)
        self.sent, self.coordinator = b"", (pods.address(1), AGENT_PORT)
        self.door = socket.create_server((pods.address(150), AGENT_PORT))
        self.start()

    def run(self):
        agent, _ = self.door.accept()
        with socket.create_connection(self.coordinator) as coordinator:
            while True:
                for ready in select.select([agent, coordinator], [], [])[0]:
                    some = ready.recv(1 << 16)
                    if not some:
                        return
                    self.sent += some if ready is agent else b""
                    (coordinator if ready is agent else agent).sendall(some)


def test_what_an_agent_once_sent_gets_no_answer_a_second_time(pods):
    coordinator = pods.coordinate(**shell(WAITS))
    wait_for(lambda: pods.reachable(AGENT_PORT), lambda: f"the port of agents: {coordinator}")
    recorder = Recorder(pods)
    agents = [pods.agent(0, MUSTER_POD_COORDINATOR=pods.address(150)), pods.agent(1)]
    assert [rank(pods, number) for number in range(4)]
    recorded = recorder.sent
    with socket.create_connection((pods.address(1), AGENT_PORT)) as again:
        again.settimeout(30)
        again.sendall(recorded)
        answer = b""
        with contextlib.suppress(ConnectionError):
            while some := again.recv(1 << 16):
                answer += some
    # Its half of a handshake with other keys, and an alert: every message of muster is longer.
    assert len(answer) < 4096, answer
    go(pods)
    assert coordinator.end().code == 0
    assert [agent.end().code for agent in agents] == [0, 0]
    assert "another pod" not in coordinator.err()


def test_a_viewer_comes_through_a_pods_stdio(pods):
    coordinator = pods.coordinate(**shell(WAITS))
    agents = [pods.agent(index) for index in (0, 1)]
    rank(pods, 3)
    viewers = Viewers(pods)
    try:
        assert "podjob" in pods.muster.ok("ps").out
        assert "rank 3 of 4" in pods.muster.ok("logs", "podjob").out
    finally:
        viewers.close()
    go(pods)
    assert coordinator.end().code == 0
    assert [agent.end().code for agent in agents] == [0, 0]


def test_an_agent_that_sends_no_reports_is_named(pods):
    coordinator = pods.coordinate(**shell(WAITS))
    agents = [pods.agent(index) for index in (0, 1)]
    stopped = parent(rank(pods, 3))
    viewers = Viewers(pods)
    said = "is connected but sends no reports, so its ranks are not watched"
    try:
        os.kill(stopped, signal.SIGSTOP)
        for words in (["ps"], ["why", "podjob"], ["describe", "podjob"]):
            wait_for(lambda words=words: said in pods.muster.ok(*words).out, f"{words} to tell it")
        assert "he agent on podjob-worker-0-1 " in pods.muster.ok("why", "podjob").out
        os.kill(stopped, signal.SIGCONT)
        wait_for(lambda: said not in pods.muster.ok("ps").out, "ps to forget it")
    finally:
        os.kill(stopped, signal.SIGCONT)
        viewers.close()
    go(pods)
    assert coordinator.end().code == 0
    assert [agent.end().code for agent in agents] == [0, 0]


@pytest.fixture
def short_folder():
    """A folder with a name short enough to replace the loader's path in a program."""
    path = tempfile.mkdtemp(prefix="m", dir="/tmp")
    yield path
    shutil.rmtree(path)


def test_what_is_installed_needs_nothing_of_the_image(muster, short_folder):
    folder = f"{short_folder}/bin"
    muster.ok("pod", "install", folder)
    muster.ok("pod", "install", folder)
    muster.binary = f"{folder}/muster"
    hostile = {"LD_LIBRARY_PATH": "/nowhere"}
    assert muster.ok("version", env=hostile).out.startswith("muster")
    loaded = muster("version", env=hostile | {"LD_TRACE_LOADED_OBJECTS": "1"}).out
    found = [line.split("=>")[-1].split()[0] for line in loaded.splitlines() if "linux-vdso" not in line]
    assert found and all(path.startswith(folder) for path in found), loaded


def test_a_folder_with_a_long_name_is_refused(muster, tmp_path):
    done = muster("pod", "install", tmp_path / "a-folder-with-a-name-that-is-too-long")
    assert done.code == 1 and "too long" in done.err, done


def test_pods_have_a_help_but_no_place_in_the_list(muster):
    assert "muster pod" in muster.ok("pod", "--help").out
    assert " pod " not in muster.ok("help").out
    assert muster("pod", "what").code == 2
