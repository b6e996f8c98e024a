# SPDX-License-Identifier: Apache-2.0
"""Open MPI and libpmix of Debian testing, which are newer than those of PyPI: Open MPI 6 and PMIx 7.

They need the C library of their release. It is beside them in $MUSTER_MPI_PYTHONS/newer, and copies of muster and of the programs are made to
use it. The programs are compiled with Open MPI 4.1, whose binary interface is the same."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from mpi_rank import mpi_rank
from test_mpi_programs import ENDS, flags

LIBRARIES = Path(os.environ["MUSTER_MPI_PYTHONS"]) / "newer" / "usr" / "lib" / "x86_64-linux-gnu"


@pytest.fixture(scope="session")
def newer(tmp_path_factory, libraries):
    """`newer(path)`: a copy of this program that uses the newer libraries."""
    folder, made = tmp_path_factory.mktemp("newer"), {}
    folder.chmod(0o755)

    def copy(path):
        if path not in made:
            made[path] = shutil.copy(path, folder / Path(path).name)
            subprocess.run(["patchelf", "--set-interpreter", LIBRARIES / "ld-linux-x86-64.so.2", "--force-rpath", "--set-rpath", LIBRARIES,
                            made[path]], check=True)
        return made[path]

    copy.program = lambda name: copy(libraries["openmpi4"].program(name))
    return copy


@pytest.fixture
def muster(muster, newer):
    muster.binary = newer(muster.binary)
    return muster


def test_the_service_uses_the_newer_libpmix(muster):
    done = muster.ok("run", "-q", "--framework", "mpi", "--", "sh", "-c", "echo $PMIX_VERSION")
    assert int(re.search(r"\d+", done.out.split("] ")[-1]).group()) >= 6, done


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_a_program_does_what_mpi_promises(muster, newer, ranks):
    done = muster.ok("run", "-n", ranks, "--", newer.program("checks"))
    assert sorted(re.findall(r"rank (\d+) of (\d+)", done.out)) == [(str(rank), str(ranks)) for rank in range(ranks)], done
    assert re.findall(r"(\w+) ok", done.out) == ["alltoall", "ring", "one_sided", "shared_file", "subgroups"]


@pytest.mark.parametrize("how, sentence, code", ENDS)
def test_a_rank_that_ends_early_is_named(muster, newer, how, sentence, code):
    done = muster("run", "-n", "2", "--propagate", "--", newer.program("ends"), how)
    assert sentence in done.err, done
    assert done.code == code if code is not None else done.code != 0


def test_a_killed_rank_and_its_peers_resume_from_the_checkpoint(muster, newer):
    done = muster.ok("run", "-n", "3", "--restarts", "1", "--", newer.program("resumes"), "20")
    assert "attempt 2 begins at step" in done.out and "sum 60\n" in done.out, done


def test_nodes_exchange_data_with_clients_of_an_older_libpmix(muster):
    """The ranks call Debian 12's libpmix. Open MPI 6.0rc2 itself finds no TCP interface between two nodes on one machine."""
    kill = "if me.rank == 3 and os.environ['MUSTER_ATTEMPT'] == '1': os.kill(os.getpid(), 9)\nmeet()"
    muster.write("rank.py", mpi_rank(kill))
    done = muster.ok("run", *flags(2, 2), "--restarts", "1", "--framework", "mpi", "--", "python3", "rank.py")
    assert [line for line in sorted(done.lines()) if "attempt 2" in line] == [
        f"[{rank}] rank {rank} of 4, 2 here, sees [100, 101, 102, 103], attempt 2" for rank in range(4)], done
