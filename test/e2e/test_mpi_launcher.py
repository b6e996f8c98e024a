# SPDX-License-Identifier: Apache-2.0
"""Launchers of MPIJobs and TrainJobs that call mpirun themselves: its ranks start on the workers (docs/guide/kubeflow.md)."""

import pytest

PLACE = "echo $OMPI_COMM_WORLD_RANK of $OMPI_COMM_WORLD_SIZE, $OMPI_COMM_WORLD_LOCAL_RANK on $MUSTER_NODE $WHO"

MPI_JOB = """
apiVersion: kubeflow.org/{version}
kind: MPIJob
metadata: {{name: pi}}
spec:
  slotsPerWorker: 2
{more}
  mpiReplicaSpecs:
    Launcher: {{template: {{spec: {{containers: [{{name: l, command: {command}, env: [{{name: WHO, value: launcher}}]}}]}}}}}}
    Worker: {{replicas: 2, template: {{spec: {{containers: [{{name: w, command: [/usr/sbin/sshd, -De], env: [{{name: WHO, value: worker}}]}}]}}}}}}
"""

TRAIN_JOB = """
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: train}
spec:
  runtimeRef: {name: deepspeed-distributed}
  trainer: {numNodes: 2, numProcPerNode: 2, command: [bash, run.sh]}
"""

RANKS = [f"{rank} of 4, {rank % 2} on {rank // 2} worker" for rank in range(4)]


@pytest.fixture
def mpi_job(muster):
    def write(script, command="[./run.sh]", more="", version="v2beta1"):
        muster.write("run.sh", f"#!/bin/sh\n{script}\n").chmod(0o755)
        muster.write("job.yaml", MPI_JOB.format(command=command, more=more, version=version))
        return "job.yaml"
    return write


def lines(done):
    """The output of the launcher, without the label of its rank."""
    return sorted(line.partition("] ")[2] if line.startswith("[") else line for line in done.out.splitlines())


@pytest.mark.parametrize("version", ["v1", "v2beta1"])
@pytest.mark.parametrize("call", [f"mpirun -q --allow-run-as-root -np 4 --hostfile /etc/mpi/hostfile sh -c '{PLACE}'",
                                  f"mpirun -q --hostfile $OMPI_MCA_orte_default_hostfile sh -c '{PLACE}'",
                                  f"mpiexec -q -f $HYDRA_HOST_FILE -n 4 sh -c '{PLACE}'"])
def test_ranks_of_a_launcher_start_on_the_workers(muster, mpi_job, call, version):
    assert lines(muster.ok("run", "-q", mpi_job(call, version=version))) == RANKS


def test_a_launcher_with_a_shell_calls_mpirun_several_times(muster, mpi_job):
    command = f"""[bash, -lc, "mpirun -q -np 1 sh -c '{PLACE}'; echo between; mpirun -q sh -c '{PLACE}'; echo code $?"]"""
    done = muster.ok("run", "-q", mpi_job("", command=command))
    assert lines(done) == sorted(["0 of 1, 0 on 0 worker", "between", *RANKS, "code 0"])


def test_a_launcher_that_is_a_worker_has_slots_too(muster, mpi_job):
    done = muster.ok("run", "-q", mpi_job(f"mpirun -q sh -c '{PLACE}'", more="  runLauncherAsWorker: true"))
    assert [line.partition(",")[0] for line in lines(done)] == [f"{rank} of 6" for rank in range(6)], done
    assert sum(line.endswith("launcher") for line in lines(done)) == 2, done


def test_too_many_ranks_are_refused_by_mpirun(muster, mpi_job):
    done = muster("run", mpi_job("mpirun -np 5 touch ran"))
    assert done.code != 0 and "4 slots" in done.out + done.err, done
    assert not (muster.work / "ran").exists()


def test_the_exit_code_of_the_launcher_ends_the_job(muster, mpi_job):
    done = muster("run", "--propagate", mpi_job(f"mpirun -q -np 4 sh -c 'exit $OMPI_COMM_WORLD_RANK' || exit 9"))
    assert done.code == 9, done
    assert muster.job("pi")["state"] == "failed"


def test_the_launcher_of_a_train_job_is_one_of_its_nodes(muster):
    muster.write("run.sh", f"mpirun -q sh -c '{PLACE}'\n")
    muster.write("job.yaml", TRAIN_JOB)
    done = muster.ok("run", "-q", "job.yaml")
    assert [line.strip() for line in lines(done)] == [line.removesuffix(" worker") for line in RANKS], done


def test_a_job_file_can_have_a_launcher_of_its_own(muster):
    muster.write("job.yaml", f"""
name: own
groups:
  - {{name: driver, command: [sh, -c, "PATH=$($MUSTER_PROGRAM mpirun --shim):$PATH; mpirun -q sh -c '{PLACE}'"],
     env: {{MUSTER_MPIRUN_GROUPS: solver, MUSTER_MPIRUN_SLOTS: "3"}}}}
  - {{name: solver, success: background, command: [sleep, "1000"]}}
""")
    done = muster.ok("run", "-q", "job.yaml")
    assert [line.partition(",")[0] for line in lines(done)] == [f"{rank} of 3" for rank in range(3)], done
