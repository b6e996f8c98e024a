# SPDX-License-Identifier: Apache-2.0
"""Nodes, programs and command lines that cannot work: each names what is wrong, the cause and what to do, and starts no rank."""

import os
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
TOUCH = "open('ran', 'w')"


def expect_refused(muster, done, code, *texts):
    """None of the ranks has started: each would have written the file `ran`."""
    assert done.code == code, done
    for text in texts:
        assert text in done.err, done
    assert not (muster.work / "ran").exists(), done


@pytest.fixture
def without_libpmix(muster, tmp_path):
    """In the namespace of this muster, the libpmix of the system is an empty file."""
    script = tmp_path / "muster"
    files = sorted({str(file.resolve()) for file in Path("/usr/lib/x86_64-linux-gnu").rglob("libpmix.so.*")})
    hide = "".join(f"mount --bind /dev/null {file} && " for file in files)
    become = "" if os.geteuid() == 0 else "--map-root-user "
    script.write_text(f"#!/bin/sh\nexec unshare --mount {become}sh -c '{hide}exec {muster.binary} \"$@\"' sh \"$@\"\n")
    script.chmod(0o755)
    muster.binary = str(script)


def test_no_libpmix(muster, without_libpmix):
    done = muster("run", "-n", "2", "--framework", "mpi", "--", "python3", "-c", TOUCH)
    expect_refused(muster, done, 1, "no libpmix can be loaded", "Install the package of PMIx", "libpmix2")


# PmixService serves programs that are linked to the first name, and PmiService those that are linked to the second.
@pytest.mark.parametrize("name", ["libmpi.so.40", "libmpi.so.12"])
def test_a_library_that_speaks_neither_pmix_nor_pmi(muster, tmp_path, name):
    source, program = HERE / "programs" / "neither.c", tmp_path / "neither"
    subprocess.run(["gcc", "-shared", "-fPIC", "-DLIBRARY", source, "-o", tmp_path / name, f"-Wl,-soname,{name}"], check=True)
    subprocess.run(["gcc", source, "-o", program, tmp_path / name, f"-Wl,-rpath,{tmp_path}"], check=True)
    done = muster("run", "-n", "2", "--", program)
    assert done.code == 1 and "ended with exit code 0, but without joining the MPI world of 2 ranks" in done.err, done
    assert "--framework plain" in done.err, done


def test_programs_of_two_libraries_in_one_world(muster, libraries):
    one, other = (libraries[name].program("ends") for name in ("mpich5", "openmpi4"))
    done = muster("mpirun", "--oversubscribe", "-n", "1", one, "before", "0", ":", "-n", "1", other, "before", "1")
    expect_refused(muster, done, 127, "the programs of this world are linked to different MPI libraries", f"{one} to libmpi.so.12 (MPICH)",
                   f"{other} to libmpi.so.40 (Open MPI)", "Build all of them with the same MPI")


def test_a_script_whose_mpi4py_loads_another_library_than_muster_found(muster, libraries):
    """mpi4py is told to use MPICH, in an environment that has Open MPI. The library says what it found, and no rank is a world of its own."""
    env = {"MPI4PY_MPIABI": "mpich", "LD_LIBRARY_PATH": str(libraries["mpich5"].python.parents[1] / "lib")}
    done = muster("run", "-n", "2", "--", libraries["openmpi5"].python, "-c", f"from mpi4py import MPI\n{TOUCH}", env=env)
    expect_refused(muster, done, 1, "uses unsupported PMI version PMIx")


LINES = {
    "too many ranks": ("-H localhost:2 -np 3", "[E1705]", "2 slots", "--oversubscribe"),
    "an unknown flag": ("--oversubscrib -np 1", "[E1701]", "`--oversubscrib`", "did you mean `--oversubscribe`?"),
    "a missing host file": ("--hostfile missing -np 1", "missing", "No such file"),
    "a host file that cannot be read": ("--hostfile . -np 1", "Is a directory"),
    "a wrong line of a host file": ("--hostfile wrong -np 1", "wrong:2:1", "[E1502]"),
    "a wrong number": ("-np two", "[E1702]", "`two`")}


@pytest.mark.parametrize("line, texts", [(line, texts) for line, *texts in LINES.values()], ids=LINES)
def test_a_wrong_command_line(muster, line, texts):
    muster.write("wrong", "localhost slots=2\nlocalhost slots=two\n")
    done = muster("mpirun", *line.split(), "touch", "ran")
    expect_refused(muster, done, 1, *texts, "nothing was started")
