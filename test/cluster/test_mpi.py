# SPDX-License-Identifier: Apache-2.0
"""MPI programs in pods on two nodes. The image has the programs and their MPI library: no sshd, no mpirun, no shell."""

import re

TIER = 3


def run(jobs, image, *command, **keys):
    """Two pods with two ranks each."""
    env = {"OMPI_MCA_osc": "^ucx"}  # Debian's file of settings excludes one-sided communication over TCP
    file = jobs.file("", image=image, command=list(command), workdir="/tmp", framework="mpi", workers=2, env=env, **keys)
    return jobs.muster("run", file, timeout=240)


def test_a_program_does_in_two_pods_what_mpi_promises(jobs, mpi_image):
    done = run(jobs, mpi_image, "/app/checks", "apart")
    assert done.returncode == 0, done.stderr + done.stdout + jobs.namespace.picture()
    places = re.findall(r"rank (\d+) of (\d+), local (\d+) of (\d+)", done.stdout)
    assert sorted(places) == [(str(rank), "4", str(rank % 2), "2") for rank in range(4)]
    assert re.findall(r"(\w+) ok", done.stdout) == ["alltoall", "ring", "one_sided", "subgroups"]


def test_a_killed_rank_and_its_peers_resume_in_their_pods(jobs, mpi_image):
    done = run(jobs, mpi_image, "/app/resumes", "20", restarts={"limit": 1})
    assert done.returncode == 0, done.stderr + done.stdout + jobs.namespace.picture()
    assert "rank 3 on train-worker-0-1 was killed by SIGKILL" in done.stderr
    (_, first), (attempt, second) = re.findall(r"attempt (\d) begins at step (\d+)", done.stdout)
    assert (first, attempt) == ("0", "2") and int(second) in (9, 10)
    assert "sum 80\n" in done.stdout


def test_an_abort_in_a_pod_names_its_rank(jobs, mpi_image):
    done = run(jobs, mpi_image, "/app/ends", "abort", "3", restarts={"limit": 0})
    assert done.returncode != 0
    assert "rank 3 on train-worker-0-1 exited with code 7: called MPI_Abort(7)" in done.stderr, done.stderr + jobs.namespace.picture()
