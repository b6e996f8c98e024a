# SPDX-License-Identifier: Apache-2.0
"""An MPIJob on hosts whose launcher calls mpirun itself: its ranks start on the workers, with neither sshd nor keys of their own."""

import base64
import subprocess
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[1] / "frameworks" / "mpi" / "programs" / "pi.c"
PLACE = "echo $OMPI_COMM_WORLD_RANK of $OMPI_COMM_WORLD_SIZE on $(hostname)"

MPI_JOB = """
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {{name: pi}}
spec:
  slotsPerWorker: 2
  mpiReplicaSpecs:
    Launcher: {{template: {{spec: {{containers: [{{name: l, command: [bash, -c, {script}]}}]}}}}}}
    Worker: {{replicas: 2, template: {{spec: {{containers: [{{name: w}}]}}}}}}
"""


def run(network, desk, hosts, script):
    network.here.write("/home/mia/pi.yaml", MPI_JOB.format(script=f'"{script}"'))
    done = desk.muster("run", "-q", "--hosts", hosts, "--workdir", "/", "/home/mia/pi.yaml")
    assert done.returncode == 0, done.stderr
    return sorted(line.partition("] ")[2] if line.startswith("[") else line for line in done.stdout.splitlines())


@pytest.mark.parametrize("names, places", [("a1,a2,a3", ["a2", "a2", "a3", "a3"]), ("a1,a2", ["a1", "a1", "a2", "a2"])])
def test_ranks_start_on_the_workers(network, hosts, desk, names, places):
    """With fewer hosts than pods, the launcher shares one with a worker."""
    lines = run(network, desk, names, f"mpirun -q -np 4 --hostfile /etc/mpi/hostfile sh -c '{PLACE}'; echo code $?")
    assert lines == [*(f"{rank} of 4 on {host}" for rank, host in enumerate(places)), "code 0"]


def test_a_program_of_open_mpi_meets_its_peers(network, hosts, desk, tmp_path):
    program = tmp_path / "pi"
    subprocess.run(["mpicc.openmpi", "-O1", PROGRAM, "-o", program], check=True)
    for host in hosts:
        host.write("/home/mia/pi.txt", base64.b64encode(program.read_bytes()).decode())
        host.run("sh", "-c", "base64 -d /home/mia/pi.txt > /home/mia/pi && chmod 755 /home/mia/pi")
    lines = run(network, desk, "a1,a2,a3", "true; mpirun -q --allow-run-as-root -np 4 /home/mia/pi")
    assert lines == ["pi is 3.141593 by 4 ranks"]
