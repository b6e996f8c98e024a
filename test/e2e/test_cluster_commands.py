# SPDX-License-Identifier: Apache-2.0
"""run, submit and viewers with --backend kubernetes: real programs of muster with a stand-in for kubectl and its cluster."""

import json
import os
import signal

import pexpect
import pytest

from pods import FAILED_PORT
from processes import alive
from stand_in_cluster import Cluster
from waiting import PATIENCE, wait_for

IMAGE = {"image": "registry.example/train:1"}
SAYS = 'echo "rank $MUSTER_RANK of $MUSTER_WORLD_SIZE"'
LASTS = f"{SAYS}; until test -e go; do sleep 0.05; done; echo went $MUSTER_RANK"


@pytest.fixture
def cluster(muster, tmp_path):
    found = Cluster(muster, tmp_path / "cluster")
    yield found
    found.pods.kill_all()


def job_file(muster, script, **keys):
    job = {"name": "train", "backend": "kubernetes", "nodes": 2, "workdir": str(muster.work), "kubernetes": IMAGE,
           "command": ["sh", "-c", script]}
    return muster.job_file(**job | keys)


def test_submit_makes_a_jobset_that_owns_its_secret_and_nothing_of_this_shell_goes_along(muster, cluster):
    file = job_file(muster, SAYS, env={"TOKEN": {"from": "env:TOKEN"}, "MODE": "fast"})
    done = muster("submit", file, env={"TOKEN": "s3cret", "PRIVATE": "keep me", "NCCL_DEBUG": "INFO"})
    assert done.code == 0 and done.out == "train\n", done
    job, secret = cluster.object("jobset", "train"), cluster.object("secret", "train-muster")
    assert secret["metadata"]["ownerReferences"][0]["uid"] == job["metadata"]["uid"]
    assert "s3cret" not in json.dumps(job) and "keep me" not in json.dumps([job, secret])
    assert "NCCL_DEBUG" in json.dumps(job)
    again = muster("submit", file, env={"TOKEN": "x"})
    assert again.code == 6 and "choose another --name" in again.err


def test_nothing_half_made_stays(muster, cluster):
    cluster.refuse(create_secret='Error from server (Forbidden): error when creating "STDIN": secrets "train-muster" is forbidden: exceeded quota: few')
    done = muster("submit", job_file(muster, SAYS))
    assert done.code == 8 and "this job does not fit into a quota" in done.err, done
    assert cluster.object("jobset", "train") is None


@pytest.mark.parametrize("said,code,told", [
    ("error: You must be logged in to the server (Unauthorized)", 4, "the cluster rejects your credentials"),
    ("Unable to connect to the server: dial tcp 10.0.0.1:6443: i/o timeout", 3, "does not answer"),
    ("Error in configuration: context was not found for specified context: lab", 2, "no context `lab`"),
    ('error: the server doesn\'t have a resource type "jobsets"', 6, "JobSet is not installed"),
])
def test_what_kubectl_refuses_is_told_with_its_fix(muster, cluster, said, code, told):
    cluster.refuse(_=said)
    done = muster("ps", "--context", "lab", "--namespace", "team")
    assert done.code == code and told in done.err and "muster explain E16" in done.err, done
    assert cluster.calls()[0][:2] == ["--context=lab", "--namespace=team"]


@pytest.mark.parametrize("command", ["ps", "submit"])
def test_a_login_that_kubectl_asks_for_is_shown_in_the_terminal(muster, cluster, command):
    words = ["submit", str(job_file(muster, SAYS))] if command == "submit" else ["ps", "--backend", "kubernetes"]
    login = cluster.folder / "login"
    os.mkfifo(login)
    child = pexpect.spawn(muster.binary, words, env=muster.env, cwd=str(muster.work), timeout=PATIENCE, encoding="utf-8")
    try:
        child.expect_exact("To sign in, open https://login.example and enter the code K7")
        with open(login, "w", encoding="utf-8"):
            login.unlink()
        child.expect(pexpect.EOF)
        child.wait()
        assert "K7" not in child.before, child.before
    finally:
        child.close(force=True)
    assert child.exitstatus == 0, child.before


def test_without_kubectl_it_is_told_how_to_get_it(muster):
    done = muster("ps", "--backend", "kubernetes", env={"PATH": "/nowhere"})
    assert done.code == 5 and "E1651" in done.err, done


def test_run_says_what_it_waits_for_and_follows_to_the_end(muster, cluster):
    running = muster.start("run", job_file(muster, SAYS, workers=2))
    wait_for(lambda: cluster.object("secret", "train-muster"), "the job to be created")
    cluster.set_pods("train", "Pending")
    running.says("waits for a node: 0/2 nodes are available: 2 Insufficient cpu.")
    cluster.start_pods("train")
    done = running.end()
    assert done.code == 0, done
    assert sorted(done.lines()) == [f"[{rank}] rank {rank} of 4" for rank in range(4)], done
    assert "succeeded" in done.err


def test_what_the_pods_of_ranks_wait_for_is_told_while_the_coordinator_waits_for_them(muster, cluster):
    running = muster.start("run", job_file(muster, SAYS))
    wait_for(lambda: cluster.object("secret", "train-muster"), "the job to be created")
    cluster.start_pods("train", agents=False)
    running.says("waits for a node: 0/2 nodes are available: 2 Insufficient cpu. (pod train-worker-0-0-x)")
    assert "Insufficient cpu" in muster.ok("why", "train", "--backend", "kubernetes").out
    cluster.start_agents()
    cluster.set_pods("train", "Running", worker="Running")
    done = running.end()
    assert done.code == 0 and sorted(done.lines()) == ["[0] rank 0 of 2", "[1] rank 1 of 2"], done


def test_run_ends_with_the_death_that_only_the_cluster_saw(muster, cluster):
    running = muster.start("run", job_file(muster, LASTS, restarts={"limit": 0}))
    wait_for(lambda: cluster.object("secret", "train-muster"), "the job to be created")
    cluster.start_pods("train")
    running.says("rank 0 of 2").says("rank 1 of 2")
    cluster.kill_for_memory("train", 1)
    done = running.end()
    assert done.code != 0, done
    assert "rank 1 on train-worker-0-1 exceeded the memory limit of its container, which was killed as a whole (OOMKilled)" in done.err, done


def test_an_interrupt_before_the_coordinator_is_there_deletes_the_jobset(muster, cluster):
    running = muster.start("run", job_file(muster, SAYS))
    wait_for(lambda: cluster.object("secret", "train-muster"), "the job to be created")
    cluster.set_pods("train", "Pending")
    running.says("waits for a node")
    done = running.signal(signal.SIGINT).end()
    assert done.code == 130 and cluster.object("jobset", "train") is None, done


def test_viewers_ask_the_coordinator(muster, cluster):
    muster.ok("submit", job_file(muster, LASTS))
    cluster.start_pods("train")
    where = ("--backend", "kubernetes")
    wait_for(lambda: muster.ok("describe", "train", *where, "-o", "json").json()["state"] == "running", "it to run")
    assert muster.ok("ps", "-o", "name", env={"MUSTER_BACKEND": "kubernetes"}).out == "train\n"
    wait_for(lambda: "rank 1 of 2" in muster.ok("logs", "train", *where).out, "its output")
    assert muster.ok("exec", "tra", *where, "--rank", "1", "-T", "--", "sh", "-c", "echo beside $MUSTER_RANK").out == "beside 1\n"
    assert "train" in muster.ok("top", "--once", *where).out
    assert muster("rm", "train", *where).code == 6
    stopped = muster.ok("stop", "train", *where)
    assert "is being stopped" in stopped.err and cluster.object("jobset", "train")
    assert muster("wait", "train", *where).code == 130


def test_a_stream_that_is_cut_goes_on_where_it_was(muster, cluster):
    muster.ok("submit", job_file(muster, LASTS))
    cluster.start_pods("train")
    running = muster.start("attach", "train", "--backend", "kubernetes")
    running.says("rank 0 of 2").says("rank 1 of 2")
    first = cluster.viewers()
    os.kill(first[-1], signal.SIGKILL)
    wait_for(lambda: len(cluster.viewers()) > len(first), "another exec")
    muster.write("go", "")
    done = running.end()
    assert done.code == 0, done
    assert sorted(done.lines()) == ["[0] rank 0 of 2", "[0] went 0", "[1] rank 1 of 2", "[1] went 1"], done


def test_an_ended_job_is_told_by_the_cluster_and_its_log(muster, cluster):
    muster.ok("submit", job_file(muster, SAYS))
    cluster.set_pods("train", "Succeeded", "failed: rank 1 on node-1 exited 7\n\nmore")
    cluster.end_job_set("train", "Failed")
    (cluster.folder / "log").write_text("train  started\n[0] rank 0 of 2\n[1] rank 1 of 2\n")
    where = ("--backend", "kubernetes")
    job = muster.ok("describe", "train", *where, "-o", "json").json()
    assert (job["state"], job["sentence"]) == ("failed", "failed: rank 1 on node-1 exited 7")
    assert muster.ok("logs", "train", *where).out == "[0] rank 0 of 2\n[1] rank 1 of 2\n"
    assert muster.ok("logs", "train", *where, "--rank", "1").out == "rank 1 of 2\n"
    assert muster("wait", "train", *where).code == 1
    muster.ok("rm", "train", *where)
    assert cluster.object("jobset", "train") is None and cluster.object("secret", "train-muster") is None


def test_a_sidecar_before_the_coordinator_hides_no_end(muster, cluster):
    muster.ok("submit", job_file(muster, SAYS))
    cluster.write_pods([cluster.with_sidecar(cluster.pod("train", "coordinator", "Succeeded", "failed: rank 1 on node-1 exited 7"))])
    where = ("--backend", "kubernetes")
    (listed,) = muster.ok("ps", "-a", "-o", "json", *where).json()["jobs"]
    assert (listed["state"], listed["sentence"]) == ("failed", "failed: rank 1 on node-1 exited 7"), listed
    assert muster("wait", "train", *where).code == 1


def test_where_exec_is_denied_the_log_is_read_and_stop_deletes(muster, cluster):
    muster.ok("submit", job_file(muster, SAYS))
    cluster.set_pods("train", "Running")
    cluster.refuse(exec='Error from server (Forbidden): pods "x" is forbidden: User "jane" cannot create resource "pods/exec" in API group "" in the namespace "team"')
    (cluster.folder / "log").write_text("[0] rank 0 of 2\n")
    where = ("--backend", "kubernetes")
    logs = muster.ok("logs", "train", *where)
    assert logs.out == "[0] rank 0 of 2\n" and "`jane` may not create pods/exec" in logs.err, logs
    stopped = muster.ok("stop", "train", *where)
    assert "deleting its JobSet" in stopped.err and cluster.object("jobset", "train") is None
    wait_for(lambda: not [pid for pid in cluster.viewers() if alive(pid)], "every exec to end")


TWICE = 'echo "out $MUSTER_RANK in $MUSTER_ATTEMPT"; echo more; echo "err $MUSTER_RANK" >&2; test $MUSTER_RANK = 0 || exit 7; until test -e go; do sleep 0.05; done'


@pytest.fixture
def ended(muster, cluster):
    """A job that failed twice and whose pods are gone."""
    muster.ok("submit", job_file(muster, TWICE, restarts={"limit": 1, "backoff": {"first": "0s", "then": "1s"}}))
    coordinator = cluster.start_pods("train")
    wait_for(lambda: cluster.pods.reachable(FAILED_PORT), lambda: f"the failed port: {coordinator}")
    cluster.pods.verdict().end()
    cluster.end_pods("train", coordinator, "Failed")
    return ("train", "--backend", "kubernetes")


def test_a_job_whose_coordinator_has_ended_is_still_whole(muster, cluster, ended):
    job = muster.ok("describe", *ended, "-o", "json").json()
    assert (job["state"], job["attempt"], job["restarts"], len(job["attempts"])) == ("failed", 2, 1, 2), job
    assert job["ranks"][1]["exit"]["code"] == 7 and "code 7" in job["attempts"][0]["cause"], job
    why = muster.ok("why", *ended).out
    assert "rank 1" in why and "muster logs train --backend kubernetes --rank 1 --attempt 2" in why, why
    events = muster.ok("events", *ended).out
    assert "attempt 2" in events and events.count("exited with code 7") >= 2, events
    assert not [line for line in muster.ok("logs", *ended).out.splitlines() if "muster-record" in line]


def test_output_of_an_ended_job_is_chosen_by_rank_attempt_stream_and_number_of_lines(muster, cluster, ended):
    first = muster.ok("logs", *ended, "--rank", "1", "--attempt", "1")
    assert (first.out, first.err) == ("out 1 in 1\nmore\nerr 1\n", ""), first
    assert muster.ok("logs", *ended, "--rank", "1", "--stream", "out").out == "out 1 in 2\nmore\n"
    assert muster.ok("logs", *ended, "--rank", "1", "--attempt", "all", "--stream", "out").out == "out 1 in 1\nmore\nout 1 in 2\nmore\n"
    assert muster.ok("logs", *ended, "--rank", "1", "--stream", "out", "-n", "1").out == "more\n"
    lines = [json.loads(line) for line in muster.ok("logs", *ended, "--attempt", "1", "--rank", "1", "-o", "json").out.splitlines()]
    assert {(line["attempt"], line["stream"]) for line in lines if line["type"] == "output"} == {(1, "out"), (1, "err")}, lines
    muster.ok("logs", *ended, "--since", "1h")
    assert any(word.startswith("--since-time=20") for word in cluster.calls()[-1]), cluster.calls()[-1]


def test_a_list_has_the_restarts_of_ended_jobs_without_a_look_at_their_logs(muster, cluster, ended):
    before = len(cluster.calls())
    (job,) = muster.ok("ps", "-a", "-o", "json", "--backend", "kubernetes").json()["jobs"]
    assert (job["state"], job["restarts"], job["attempt"]) == ("failed", 1, 2), job
    assert not [call for call in cluster.calls()[before:] if "logs" in call]


def test_who_has_only_kubectl_reads_sentences_and_skips_the_record(cluster, ended):
    lines = (cluster.folder / "log").read_text().splitlines()
    assert "[1] out 1 in 1" in lines and "[1 err] err 1" in lines and "[1 #2] out 1 in 2" in lines, lines
    assert 1 <= len([line for line in lines if line.startswith("muster-record ")]) <= 2, lines


def test_where_the_log_is_gone_the_cluster_tells_what_it_knows(muster, cluster, ended):
    cluster.refuse(logs="Error from server (NotFound): the server could not find the requested resource")
    job = muster.ok("describe", *ended, "-o", "json").json()
    assert (job["state"], job["attempt"], job["restarts"]) == ("failed", 2, 1), job


def test_next_commands_name_the_cluster_that_was_asked(muster, cluster, ended):
    place = "train --backend kubernetes --context lab --namespace team"
    words = ("train", "--context", "lab", "--namespace", "team")
    assert f"muster why {place} · muster logs {place}" in muster.ok("describe", *words).out
    assert f"muster logs {place} --rank 1" in muster.ok("why", *words).out
    assert f"why:   muster why {place}\n" in muster("wait", *words).err


def test_a_list_tells_restarts_of_what_runs_and_what_the_others_wait_for(muster, cluster):
    muster.ok("submit", job_file(muster, f'test $MUSTER_ATTEMPT = 2 || exit 3; {LASTS}', restarts={"limit": 1}))
    cluster.start_pods("train")
    where = ("--backend", "kubernetes")
    wait_for(lambda: muster.ok("describe", "train", *where, "-o", "json").json()["attempt"] == 2, "the second attempt")
    (job,) = muster.ok("ps", "-o", "json", *where).json()["jobs"]
    assert job["restarts"] == 1, job
    cluster.refuse(exec='Error from server (Forbidden): pods "x" is forbidden: User "jane" cannot create resource "pods/exec" in API group "" in the namespace "team"')
    assert "–" in muster.ok("ps", *where).out.splitlines()[1].split()
    cluster.set_pods("train", "Pending")
    assert "waits for a node: 0/2 nodes are available" in muster.ok("ps", *where).out


def test_a_pod_that_waits_for_a_volume_names_it(muster, cluster):
    running = muster.start("run", job_file(muster, SAYS))
    wait_for(lambda: cluster.object("secret", "train-muster"), "the job to be created")
    pod = cluster.pod("train", "worker", "Pending", "")
    pod["spec"]["nodeName"] = "node-1"
    pod["status"] = {"phase": "Pending", "containerStatuses": [{"name": "agent", "state": {"waiting": {"reason": "ContainerCreating"}}}]}
    said = 'Multi-Attach error for volume "pvc-7" Volume is already exclusively attached to one node and can\'t be attached to another'
    cluster.write_events([{"involvedObject": {"kind": "Pod", "name": pod["metadata"]["name"]}, "type": "Warning", "reason": "FailedAttachVolume",
                           "message": said, "lastTimestamp": "2026-11-23T10:29:00Z"}])
    cluster.start_pods("train", agents=False)
    cluster.write_pods([cluster.pod("train", "coordinator", "Running", ""), pod])
    running.says(f"waits for a volume: {said} (pod train-worker-0-0-x)")
    assert f"waits for a volume: {said}" in muster.ok("ps", "--backend", "kubernetes").out
    assert said in muster.ok("why", "train", "--backend", "kubernetes").out
    cluster.start_agents()
    cluster.set_pods("train", "Running", worker="Running")
    done = running.end()
    assert done.code == 0 and done.err.count(said) == 1, done


def test_a_quota_that_keeps_pods_away_is_told(muster, cluster):
    running = muster.start("run", job_file(muster, SAYS))
    wait_for(lambda: cluster.object("secret", "train-muster"), "the job to be created")
    said = 'pods "train-worker-0-0-" is forbidden: exceeded quota: few, requested: pods=1, used: pods=2, limited: pods=2'
    about = {"kind": "Job", "name": "train-worker-0"}
    cluster.write_events([{"involvedObject": about, "reason": "FailedCreate", "message": f"Error creating: {said}", "lastTimestamp": "2026-11-23T10:29:00Z"}])
    running.says(f"waits for its pods to be created: {said}")
    assert said in muster.ok("ps", "--backend", "kubernetes").out
    assert said in muster.ok("why", "train", "--backend", "kubernetes").out
    running.signal(signal.SIGINT).end()


def test_validate_looks_at_a_file_as_a_cluster_would(muster):
    good = muster.job_file(name="train", command=["sh"], kubernetes=IMAGE)
    assert muster("validate", "--backend", "kubernetes", good).code == 0
    bad = muster.job_file(name="train", command=["sh"])
    refused = muster("validate", "--backend", "kubernetes", bad)
    assert refused.code == 2 and "image" in refused.err, refused
    assert muster("validate", bad).code == 0
