# SPDX-License-Identifier: Apache-2.0
"""MPIJobs of Kubeflow with each implementation (docs/reference/kubeflow.md): neither sshd nor keys."""

import pytest

JOB = """
apiVersion: {version}
kind: MPIJob
metadata: {{name: pi}}
spec:
  slotsPerWorker: 1
  sshAuthMountPath: /home/mpiuser/.ssh
  mpiReplicaSpecs:
    Launcher:
      replicas: 1
      template: {{spec: {{containers: [{{name: mpi-launcher, image: registry.example/pi:1, {command}}}]}}}}
    Worker:
      replicas: 2
      template: {{spec: {{containers: [{{name: mpi-worker, image: registry.example/pi:1, args: [/usr/sbin/sshd, -De]}}]}}}}
"""
IMPLEMENTATIONS = {"openmpi4": "OpenMPI", "openmpi5": "OpenMPI", "mpich5": "MPICH", "intel": "Intel"}


@pytest.mark.parametrize("words", ["command: [mpirun, -n, '2', {0}]", "args: [mpirun, -n, '2', {0}]", "command: [mpirun], args: [-np, '2', -bind-to, none, {0}]"])
def test_the_pi_example_runs_on_two_workers(muster, mpi, words):
    text = JOB.format(version="kubeflow.org/v2beta1", command=words.format(mpi.program("pi")))
    muster.write("pi.yaml", text.replace("slotsPerWorker: 1", "slotsPerWorker: 1\n  mpiImplementation: " + IMPLEMENTATIONS[mpi.name]))
    assert muster.ok("run", "-q", "pi.yaml").out.split("] ")[-1] == "pi is 3.141593 by 2 ranks\n"


@pytest.mark.parametrize("version", ["v1", "v2beta1"])
def test_a_launcher_that_calls_mpirun_itself(muster, mpi, version):
    """In its script, mpirun is muster's, as often as it is called."""
    muster.write("run.sh", f"#!/bin/bash\nset -e\nfor n in 1 2; do mpirun --allow-run-as-root -np $n --hostfile /etc/mpi/hostfile {mpi.program('pi')}; done\n").chmod(0o755)
    text = JOB.format(version=f"kubeflow.org/{version}", command="command: [./run.sh]")
    if version == "v2beta1":
        text = text.replace("slotsPerWorker: 1", "slotsPerWorker: 1\n  mpiImplementation: " + IMPLEMENTATIONS[mpi.name])
    muster.write("pi.yaml", text)
    done = muster.ok("run", "-q", "pi.yaml")
    assert [line.split("] ")[-1] for line in done.out.splitlines()] == [f"pi is 3.141593 by {n} ranks" for n in (1, 2)], done


def test_the_pi_example_of_the_training_operator(muster, mpi):
    muster.write("pi.yaml", JOB.format(version="kubeflow.org/v1", command=f"command: [mpirun, -n, '2', {mpi.program('pi')}]"))
    assert muster.ok("run", "-q", "pi.yaml").out.split("] ")[-1] == "pi is 3.141593 by 2 ranks\n"
