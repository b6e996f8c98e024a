# SPDX-License-Identifier: Apache-2.0
"""An image, and the program that opens it. IMAGE_TEST_PROGRAM says which one; the tests run as its user (scripts/test image)."""

import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e"))

pytest_plugins = ["user"]

NAME = "localhost/muster-test:1"
PROGRAMS = ["sh", "cat", "echo", "ls", "id", "env", "sleep", "stat", "touch", "kill", "df", "printf", "grep", "test", "awk", "tail", "chmod"]


def make_root(root):
    """The file system of the image: a shell, and a file that only the image has."""
    for folder in ["bin", "etc", "opt", "proc", "sys", "dev", "tmp", "var/tmp", "root", "home", "run"]:
        (root / folder).mkdir(parents=True)
    shutil.copy2("/bin/busybox", root / "bin" / "busybox")
    for name in PROGRAMS:
        (root / "bin" / name).symlink_to("busybox")
    (root / "etc" / "marker").write_text("of the image\n")
    (root / "etc" / "passwd").write_text("root:x:0:0::/root:/bin/sh\n")
    (root / "etc" / "group").write_text("root:x:0:\n")


class Opener:
    """The image's name, the variables of its program, and a look for containers that were left."""

    def __init__(self, program, image, env):
        self.program, self.image, self.env = program, image, env

    def run(self, *command):
        done = subprocess.run(command, env=os.environ | self.env, cwd="/", text=True, capture_output=True, timeout=120, check=False)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        return done.stdout

    def left(self):
        return self.run("podman", "ps", "--all", "--format", "{{.Names}}").strip() if self.program == "podman" else ""


def configure_podman(folder):
    """Settings that also work without systemd, with mixed cgroups and without CAP_SYS_RESOURCE."""
    most = min(4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
    (folder / "containers.conf").write_text(
        f'[containers]\ndefault_ulimits = ["nofile={most}:{most}", "nproc=4096:4096"]\n'
        '[engine]\nruntime = "runc"\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\n')
    (folder / "storage.conf").write_text(
        f'[storage]\ndriver = "{"overlay" if os.getuid() == 0 else "vfs"}"\ngraphroot = "{folder}/storage"\n'
        f'runroot = "{folder}/run"\n')
    (folder / "xdg").mkdir(mode=0o700)
    return {"CONTAINERS_CONF": f"{folder}/containers.conf", "CONTAINERS_STORAGE_CONF": f"{folder}/storage.conf",
            "XDG_RUNTIME_DIR": f"{folder}/xdg", "XDG_DATA_HOME": f"{folder}/data"}


@pytest.fixture(scope="session")
def opener(tmp_path_factory):
    program = os.environ["IMAGE_TEST_PROGRAM"]
    folder = tmp_path_factory.mktemp("image")
    root = folder / "root"
    make_root(root)
    if program == "podman":
        archive = folder / "root.tar"
        subprocess.run(["tar", "-C", str(root), "--owner=0", "--group=0", "-cf", str(archive), "."], check=True)
        made = Opener(program, NAME, configure_podman(folder))
        made.run("podman", "import", "--change", "ENV FROM_IMAGE=yes", "--change", "ENV PATH=/bin", str(archive), NAME)
        yield made
        made.run("podman", "system", "reset", "--force")
    else:
        yield Opener(program, str(root), {"APPTAINER_CONFIGDIR": str(folder / "config")})


@pytest.fixture
def muster(muster, opener):
    """The user of the other suites, whose shell has the variables of the program."""
    muster.env |= opener.env
    yield muster
    muster.wait_until_idle()
    assert opener.left() == ""
