# SPDX-License-Identifier: Apache-2.0
"""Programs of MPICH's test suite with Open MPI 4.1 and 5, MPICH 5 and Intel MPI: messages, collectives, communicators and one-sided
communication. Each checks its results itself and prints "No Errors".

$MUSTER_MPI_PYTHONS/suite has their sources; scripts/mpi_env.sh fetches them."""

import os
import subprocess
from pathlib import Path

import pytest

SUITE = Path(os.environ["MUSTER_MPI_PYTHONS"]) / "suite"
COMMON = ("mtest", "mtest_common", "mtest_single", "dtypes")
# What the suite's own configure would find on Linux.
FOUND = ("STDARG_H", "STDINT_H", "STDLIB_H", "STRING_H", "STRDUP", "UNISTD_H", "SYS_TIME_H", "USLEEP", "LONG_LONG", "LONG_DOUBLE",
         "MPI_WIN_CREATE", "MPI_IO", "MPI_INIT_THREAD")
SIZES = {"SHORT": 2, "INT": 4, "LONG": 8, "LONG_LONG": 8, "VOID_P": 8, "MPI_OFFSET": 8}

# The programs by folder, with the number of ranks that the suite's lists give. Left out: programs that take minutes where ranks outnumber
# CPUs, and those with which Open MPI 4.1 crashes under mpirun too (nonblocking2, nonblocking3).
PROGRAMS = {
    "pt2pt": {"anyall": 2, "bottom": 2, "bsend5": 4, "bsendfrag": 2, "bsendpending": 2, "cancelanysrc": 2, "dtype_send": 2, "eagerdt": 2, "greq1": 1,
              "icprobe": 4, "icsend": 4, "inactivereq": 1, "isendself": 1, "large_tag": 2, "many_isend": 3, "manylmt": 2, "mprobe": 2, "rcancel": 2,
              "rqfreeb": 4, "rqstatus": 2, "sendrecv2": 2, "waittestnull": 1},
    "coll": {"allred4": 4, "allred6": 7, "alltoall1": 8, "alltoallw_zeros": 5, "bcastzerotype": 5, "coll10": 4, "coll12": 4, "coll13": 4, "coll2": 5,
             "coll6": 5, "exscan2": 5, "gather": 4, "gatherv": 5, "ibarrier": 2, "icallreduce": 7, "icalltoall": 7, "icbcast": 4, "icgather": 7,
             "icscatter": 7, "longuser": 4, "neighb_alltoallw": 4, "nonblocking": 5, "opmaxloc": 5, "opsum": 4, "red_scat_block": 8,
             "redscatinter": 8, "scantst": 4, "scatterv": 4},
    "comm": {"cmfree": 4, "cmsplit": 4, "comm_create_group": 8, "comm_group_half": 8, "comm_idup": 4, "comm_info": 6, "commcreate1": 8, "dup": 2,
             "dup_with_info": 4, "dupic": 4, "ic1": 4, "iccreate": 8, "icgroup": 8, "icsplit": 8, "probe_intercomm": 2},
    "rma": {"acc_loc": 4, "allocmem": 2, "compare_and_swap": 4, "fetchandadd": 7, "get_struct": 2, "lockopts": 2, "mixedsync": 4, "nullpscw": 7,
            "put_base": 2, "put_bottom": 2, "putfidx": 4, "rmazero": 2, "strided_putget_indexed": 4, "transpose3": 2, "win_dynamic_acc": 4,
            "win_flavors": 4, "win_shared": 4, "win_zero": 4, "wintest": 2}}
# Programs that find errors in a library under its own mpirun too.
ERRORS_OF_LIBRARIES = {("openmpi5", "rqstatus"): "non-empty MPI_Status returned for MPI_REQUEST_NULL"}
CASES = [(folder, name, ranks) for folder, programs in PROGRAMS.items() for name, ranks in programs.items()]
# On two nodes of two ranks.
SPREAD = [(folder, name, 4) for folder, names in {
    "pt2pt": "bsend5 icprobe icsend rqfreeb", "coll": "coll10 coll13 gather icbcast neighb_alltoallw opsum scantst",
    "comm": "cmsplit comm_idup dupic ic1", "rma": "acc_loc compare_and_swap mixedsync putfidx win_flavors"}.items() for name in names.split()]
# Open MPI 5's collectives for several nodes (han) gather wrong data in place: https://github.com/open-mpi/ompi/issues/11545
WITHOUT_HAN = {("openmpi5", "gather")}


class Builder:
    """Compiles the programs for one library."""

    def __init__(self, mpi, folder):
        self.mpi, self.folder = mpi, folder
        folder.mkdir()
        lines = [f"#define HAVE_{name} 1" for name in FOUND] + [f"#define SIZEOF_{name} {size}" for name, size in SIZES.items()]
        lines += ["#define USE_STRICT_MPI 1", "#define POINTERINT_t long", "#define THREAD_PACKAGE_POSIX 1", "#define THREAD_PACKAGE_NAME 1"]
        (folder / "mpitestconf.h").write_text("\n".join(lines) + "\n")
        for name in COMMON:
            self.compile("-c", SUITE / "util" / f"{name}.c", "-o", folder / f"{name}.o")

    def compile(self, *words):
        compiler, *flags = self.mpi.compiler
        subprocess.run([compiler, "-O0", "-w", f"-I{self.folder}", f"-I{SUITE}/include", *words, *flags], check=True)

    def program(self, folder, name):
        path = self.folder / f"{folder}-{name}"
        if not path.exists():
            self.compile(SUITE / folder / f"{name}.c", *(self.folder / f"{each}.o" for each in COMMON), "-lm", "-o", path)
        return path


@pytest.fixture(scope="session")
def builders(tmp_path_factory, libraries):
    folder = tmp_path_factory.mktemp("suite")
    folder.chmod(0o755)
    return {name: Builder(mpi, folder / name) for name, mpi in libraries.items()}


def expect_no_errors(muster, program, *flags, env=None):
    done = muster("run", *flags, "--", program, env=env)
    assert done.code == 0 and "No Errors" in done.out, done


def expect_error_of_library(muster, program, error, *flags):
    done = muster("run", *flags, "--", program)
    assert done.code != 0 and error in done.out + done.err and "No Errors" not in done.out, done


@pytest.mark.parametrize("folder, name, ranks", CASES, ids=[f"{folder}/{name}" for folder, name, _ in CASES])
def test_a_program_of_the_suite_finds_no_errors(muster, mpi, builders, folder, name, ranks):
    program, error = builders[mpi.name].program(folder, name), ERRORS_OF_LIBRARIES.get((mpi.name, name))
    if error:
        expect_error_of_library(muster, program, error, "-n", ranks)
    else:
        expect_no_errors(muster, program, "-n", ranks)


@pytest.mark.parametrize("folder, name, ranks", SPREAD, ids=[f"{folder}/{name}" for folder, name, _ in SPREAD])
def test_it_finds_none_on_two_nodes(muster, mpi, builders, folder, name, ranks):
    env = {"OMPI_MCA_coll": "^han"} if (mpi.name, name) in WITHOUT_HAN else None
    expect_no_errors(muster, builders[mpi.name].program(folder, name), "-n", ranks // 2, "--nodes", 2, env=env)
