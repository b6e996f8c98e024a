# SPDX-License-Identifier: Apache-2.0
"""`muster mpirun` in a pod: its ranks start in the other pods of the job, with neither sshd nor kubectl there."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from images import build_image, libraries_of, put

TIER = 3
IMAGE = "localhost/openmpi-shell:4"
PROGRAMS = Path(__file__).parents[1] / "frameworks" / "mpi" / "programs"
LIBRARIES = Path("/usr/lib") / f"{os.uname().machine}-linux-gnu"
PLUGINS = [LIBRARIES / "openmpi" / "lib" / "openmpi3", LIBRARIES / "pmix2" / "lib" / "pmix"]
PLACE = "echo $OMPI_COMM_WORLD_RANK of $OMPI_COMM_WORLD_SIZE, $OMPI_COMM_WORLD_LOCAL_RANK on $HOSTNAME"

MPI_JOB = f"""
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {{name: pi}}
spec:
  slotsPerWorker: 2
  mpiReplicaSpecs:
    Launcher: {{template: {{spec: {{containers: [{{name: l, image: {IMAGE}, command: [sh, -c, "mpirun --allow-run-as-root -np 4 --hostfile /etc/mpi/hostfile /app/pi && mpirun -np 2 /app/ends exits; echo code $?"]}}]}}}}}}
    Worker: {{replicas: 2, template: {{spec: {{containers: [{{name: w, image: {IMAGE}}}]}}}}}}
"""


@pytest.fixture
def image(cluster, tmp_path):
    """Debian's Open MPI 4.1 and libpmix, programs of test/frameworks/mpi in /app, a shell and sleep."""
    if IMAGE in cluster.images:
        return IMAGE
    root = tmp_path / "root"
    for folder in ("app", "bin", "tmp"):
        (root / folder).mkdir(parents=True)
    needed = [LIBRARIES / "libpmix.so.2"]
    for name, program in (("sh", "/usr/bin/dash"), ("sleep", "/usr/bin/sleep")):
        shutil.copy(program, root / "bin" / name)
        needed.append(program)
    for name in ("pi", "ends"):
        subprocess.run(["mpicc.openmpi", "-O1", PROGRAMS / f"{name}.c", "-o", root / "app" / name], check=True)
        needed.append(root / "app" / name)
    plugins = [file for folder in PLUGINS for file in folder.glob("*.so")]
    settings = {"/etc/openmpi/openmpi-mca-params.conf", *Path("/usr/share/openmpi").glob("help-*.txt")}
    for path in libraries_of(*needed, *plugins) | set(plugins) | settings | {LIBRARIES / "libpmix.so.2"}:
        put(path, root)
    build_image(IMAGE, root, tmp_path / "image.tar")
    cluster.load_image(tmp_path / "image.tar")
    cluster.images.add(IMAGE)
    return IMAGE


def test_ranks_of_a_launcher_start_in_the_pods_of_its_workers(jobs, image):
    script = f"PATH=$($MUSTER_PROGRAM mpirun --shim):$PATH; mpirun -q sh -c '{PLACE}'; mpirun -q -n 1 sh -c 'exit 7'; echo code $?"
    launcher = {"name": "launcher", "command": ["sh", "-c", script], "env": {"MUSTER_MPIRUN_GROUPS": "worker", "MUSTER_MPIRUN_SLOTS": "2"}}
    worker = {"name": "worker", "nodes": 2, "command": ["sleep", "100000"], "success": "background"}
    file = jobs.namespace.folder / "inside.yaml"
    file.write_text(json.dumps({"name": "inside", "workdir": "/", "groups": [launcher, worker], "kubernetes": {"image": image}}))
    done = jobs.muster("run", "-q", file, timeout=240)
    assert done.returncode == 0, done.stderr + done.stdout + jobs.namespace.picture()
    lines = sorted(line.partition("] ")[2] for line in done.stdout.splitlines())
    assert lines[:4] == [f"{rank} of 4, {rank % 2} on inside-worker-0-{rank // 2}" for rank in range(4)], done.stdout + done.stderr
    assert lines[4:] == ["code 7"], done.stdout


def test_an_mpi_job_whose_launcher_is_a_script(jobs, image):
    file = jobs.namespace.folder / "pi.yaml"
    file.write_text(MPI_JOB)
    done = jobs.muster("run", "-q", file, timeout=240)
    assert done.returncode == 0, done.stderr + done.stdout + jobs.namespace.picture()
    assert [line.partition("] ")[2] for line in done.stdout.splitlines()] == ["pi is 3.141593 by 4 ranks", "code 9"], done.stdout + done.stderr
