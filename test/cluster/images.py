# SPDX-License-Identifier: Apache-2.0
"""Container images for tests: muster's own, and the contents of an image."""

import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

PROJECT = Path(__file__).parents[2]
SCRIPTS = PROJECT / "scripts"
TORCH_EXAMPLE = PROJECT / "examples" / "torch_ddp" / "train.py"
MPI_PROGRAMS = PROJECT / "test" / "frameworks" / "mpi" / "programs"
sys.path.append(str(PROJECT / "test" / "e2e"))
from pictures import write_pictures  # noqa: E402

LAYER = "application/vnd.oci.image.layer.v1.tar"


def build_muster_image(archive):
    """Builds an image of the program under test; returns its name."""
    subprocess.run([SCRIPTS / "image", "--binary", os.environ["MUSTER_BINARY"], archive], check=True, stdout=subprocess.DEVNULL)
    return Archive(archive).name


def build_image(name, folder, archive):
    """Builds an image with this name from a folder."""
    script = '. "$0/oci.sh"; oci_archive "$1" "$2" "{}" >"$3"'
    subprocess.run(["bash", "-c", script, SCRIPTS, name, folder, archive], check=True)


def libraries_of(*programs):
    """The libraries of the system, the loader included, that the programs ask for."""
    found = set()
    for program in programs:
        told = subprocess.run(["ldd", program], capture_output=True, text=True, check=False).stdout
        found |= set(re.findall(r"\s(/(?:usr/)?lib\S*) \(0x", told))
    return found


def put(path, root):
    """Copies a program or a library of this machine to the same path below `root`."""
    target = root / str(path).lstrip("/")
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, target)
    target.chmod(0o755)


def put_python(environment, root, left_out=()):
    """Debian's python3 below `root`, with the packages of an environment and the libraries of the system that they need. `left_out`:
    folders of the packages."""
    (packages,) = environment.glob("lib/python3.*/site-packages")
    version = packages.parent.name
    here = root / "usr" / "local" / "lib" / version / "dist-packages"
    here.parent.mkdir(parents=True)
    shutil.copytree(packages, here, copy_function=os.link, ignore=lambda folder, names: {  # links save a copy of all of it
        name for name in names if str(Path(folder, name).relative_to(packages)) in left_out or name == "__pycache__"})
    shutil.copytree(f"/usr/lib/{version}", root / "usr" / "lib" / version, symlinks=False, ignore_dangling_symlinks=True,
                    ignore=shutil.ignore_patterns("__pycache__", "test", "idlelib", "config-*"))
    put(f"/usr/bin/{version}", root)
    (root / "usr" / "bin" / "python3").symlink_to(version)
    (root / "bin").symlink_to("usr/bin")
    compiled = [*packages.rglob("*.so"), *packages.rglob("*.so.*"), *Path(f"/usr/lib/{version}/lib-dynload").glob("*.so")]
    for library in libraries_of(f"/usr/bin/{version}", *compiled):
        put(library, root)


def put_torch(environment, root):
    """Debian's python3 with PyTorch, examples/torch_ddp with its data in the folder /, and torchrun."""
    (root / "data").mkdir(parents=True)
    (root / "tmp").mkdir()
    write_pictures(root / "data")
    shutil.copy(TORCH_EXAMPLE, root / "train.py")
    put_python(environment, root, ("torch/include", "torch/test", "torch/share", "pip", "setuptools"))
    torchrun = root / "usr" / "bin" / "torchrun"
    torchrun.write_text("#!/usr/bin/python3\nfrom torch.distributed.run import main\nmain()\n")
    torchrun.chmod(0o755)


def put_mpi(root, programs):
    """Debian's Open MPI 4.1 with libpmix, and programs of test/frameworks/mpi in /app."""
    libraries = Path("/usr/lib") / f"{os.uname().machine}-linux-gnu"
    for folder in ("app", "tmp"):
        (root / folder).mkdir(parents=True)
    needed = [libraries / "libpmix.so.2"]
    for name in programs:
        program = root / "app" / name
        subprocess.run(["mpicc.openmpi", "-O1", MPI_PROGRAMS / f"{name}.c", "-o", program], check=True)
        needed.append(program)
    plugins = [file for folder in ("openmpi/lib/openmpi3", "pmix2/lib/pmix") for file in (libraries / folder).glob("*.so")]
    settings = {"/etc/openmpi/openmpi-mca-params.conf", *Path("/usr/share/openmpi").glob("help-*.txt")}
    for path in libraries_of(*needed, *plugins) | set(plugins) | settings | {libraries / "libpmix.so.2"}:
        put(path, root)


class Archive:
    """An image in OCI layout. Every blob that is read is checked against its digest."""

    def __init__(self, path):
        self.files = tarfile.open(path)
        index = json.loads(self.files.extractfile("index.json").read())
        assert json.loads(self.files.extractfile("oci-layout").read()) == {"imageLayoutVersion": "1.0.0"}
        (entry,) = index["manifests"]
        self.name = entry["annotations"]["io.containerd.image.name"]
        self.manifest = json.loads(self.blob(entry))
        self.config = json.loads(self.blob(self.manifest["config"]))

    def blob(self, described):
        bytes_ = self.files.extractfile("blobs/" + described["digest"].replace(":", "/")).read()
        assert len(bytes_) == described["size"]
        assert "sha256:" + hashlib.sha256(bytes_).hexdigest() == described["digest"]
        return bytes_

    def layer(self):
        (only,) = self.manifest["layers"]
        assert only["mediaType"] == LAYER
        assert self.config["rootfs"]["diff_ids"] == [only["digest"]]  # not compressed
        return tarfile.open(fileobj=io.BytesIO(self.blob(only)))
