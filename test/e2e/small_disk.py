# SPDX-License-Identifier: Apache-2.0
"""Runs a command with a 4 MiB disk as state folder, in new namespaces, if the kernel allows them."""

import subprocess

import pytest

NAMESPACES = ["unshare", "--user", "--map-current-user", "--keep-caps", "--mount", "--"]
MOUNT = "mkdir -p $MUSTER_STATE_DIR && mount -t tmpfs -o size=4m,mode=0700$INODES tmpfs $MUSTER_STATE_DIR && exec setpriv --inh-caps=-all --ambient-caps=-all sh ./inner"
LEAVES = "pid=$(head -n 1 $MUSTER_STATE_DIR/lock); kill $pid; while kill -0 $pid 2>/dev/null; do sleep 0.1; done"


@pytest.fixture
def on_small_disk(muster):
    """Runs a shell script whose state folder is a disk of 4 MiB, with `inodes` inodes if given; returns its output."""
    if subprocess.run([*NAMESPACES, "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("this kernel lets no unprivileged user make namespaces, so there is no small disk to fill")

    def run(script, inodes=0):
        muster.write("inner", f"M={muster.binary}\n{script}\n{LEAVES}")
        done = subprocess.run([*NAMESPACES, "sh", "-c", MOUNT], cwd=muster.work, env={**muster.env, "INODES": f",nr_inodes={inodes}" if inodes else ""}, capture_output=True, timeout=120, check=False)
        return done.stdout.decode(), done.stderr.decode()
    return run
