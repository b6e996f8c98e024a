# SPDX-License-Identifier: Apache-2.0
"""What MPI programs do under muster: worlds of one and of two nodes, every kind of end, restarts."""

import re

import pytest

# flags of muster run: (nodes, ranks of each)
SHAPES = {"1x1": (1, 1), "1x2": (1, 2), "1x8": (1, 8), "2x2": (2, 2), "3x1": (3, 1)}
SINGLE = "ended with exit code 0, but without joining the MPI world of 2 ranks"

# What programs/ends.c is told, why the job fails, and the exit code; None: one that is not 0.
ENDS = [
    ("before", "rank 1 exited with code 5", 5),
    ("abort", "rank 1 exited with code 7: called MPI_Abort(7)", 7),
    ("abort0", "rank 1 exited with code 1: called MPI_Abort(0)", 1),
    ("killed", "rank 1 was killed by SIGKILL", 137),
    ("leaves", "rank 1 exited with code 1: its program ended with exit code 0, but without MPI_Finalize", 1),
    ("exits", "rank 1 exited with code 9", 9),
    ("after", "rank 1 exited with code 6", 6),
    ("spawns", "called MPI_Comm_spawn, which muster does not support", None),
    ("alone", SINGLE, 1),
]


def flags(nodes, ranks):
    return ["-n", ranks, "--nodes", nodes]


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())
def test_a_program_does_on_every_world_what_mpi_promises(muster, mpi, shape):
    nodes, ranks = shape
    done = muster.ok("run", *flags(*shape), "--", mpi.program("checks"))
    places = re.findall(r"rank (\d+) of (\d+), local (\d+) of (\d+)", done.out)
    assert sorted(places, key=lambda place: int(place[0])) == [
        (str(rank), str(nodes * ranks), str(rank % ranks), str(ranks)) for rank in range(nodes * ranks)]
    assert re.findall(r"(\w+) ok", done.out) == ["alltoall", "ring", "one_sided", "shared_file", "subgroups"]
    assert "framework: mpi (" in done.err


@pytest.mark.parametrize("shape", [(1, 4), (2, 2)], ids=["1x4", "2x2"])
def test_threads_of_a_rank_call_mpi(muster, mpi, shape):
    assert "threads ok" in muster.ok("run", *flags(*shape), "--", mpi.program("threads")).out


@pytest.mark.parametrize("how, sentence, code", ENDS)
def test_a_rank_that_ends_early_ends_the_job_and_is_named(muster, mpi, how, sentence, code):
    if (mpi.name, how) == ("intel", "spawns"):
        pytest.skip("Intel MPI opens a port of a network first, and crashes on one node, where it uses none")
    done = muster("run", "-n", "2", "--propagate", "--", mpi.program("ends"), how)
    assert sentence in done.err, done
    assert done.code == code if code is not None else done.code != 0


def test_a_killed_agent_leaves_no_shared_memory(muster, libraries):
    """The fixture looks for it."""
    code = "import time\nfrom mpi4py.MPI import COMM_WORLD as w\nw.barrier()\nopen(f'up-{w.rank}', 'w').write('up\\n')\ntime.sleep(600)"
    job = muster.submit("-n", "2", "--restarts", "0", "--framework", "mpi", "--", libraries["mpich5"].python, "-c", code)
    for rank in (0, 1):
        muster.wait_for_file(f"up-{rank}")
    agent, _ = muster.agent_of(muster.job(job)["ranks"][0]["pid"])
    muster.kill(agent)
    muster.wait_for_state("failed", job)


def test_a_rank_of_another_node_ends_the_job_too(muster, mpi):
    done = muster("run", "-n", "2", "--nodes", "2", "--", mpi.program("ends"), "abort", "3")
    assert "rank 3 exited with code 7: called MPI_Abort(7)" in done.err


@pytest.mark.parametrize("folders", [[], ["-wdir", "/"]], ids=["one_folder", "two_folders"])
def test_programs_of_one_command_line_are_one_world(muster, mpi, folders):
    show = "from mpi4py.MPI import COMM_WORLD as w\nprint('\\n' + str((w.rank, w.allreduce(1))))"
    programs = ["-np", "1", mpi.python, "-c", show, ":", "-np", "2", *folders, mpi.python, "-c", show]
    done = muster.ok("mpirun", "--oversubscribe", *programs)
    assert sorted(re.findall(r"\((\d), (\d)\)", done.out)) == [("0", "3"), ("1", "3"), ("2", "3")], done


# Rank 0 of a job with two nodes and two ranks on each runs the script, and the others wait for its end.
INSIDE = "if [ $MUSTER_RANK = 0 ]; then $1; code=$?; touch over; exit $code; fi; until test -e over; do sleep 0.05; done"


def test_mpirun_inside_a_job_starts_its_ranks_on_all_nodes(muster, mpi):
    folder = muster.ok("mpirun", "--shim").out.strip()
    script = muster.write("script.sh", f"PATH={folder}:$PATH mpirun -n 4 {mpi.program('checks')} apart && PATH={folder}:$PATH mpirun -n 2 {mpi.program('ends')} exits; echo code $?\n")
    done = muster.ok("run", "--framework", "plain", *flags(2, 2), "--", "sh", "-c", INSIDE, "sh", f"sh {script}")
    places = re.findall(r"rank (\d) of 4, local (\d) of (\d)", done.out)
    assert sorted(places) == [("0", "0", "2"), ("1", "1", "2"), ("2", "0", "2"), ("3", "1", "2")], done
    assert "subgroups ok" in done.out and "code 9" in done.out, done


APPNUM = "from mpi4py import MPI\nw = MPI.COMM_WORLD\nprint('\\n' + str((w.rank, w.Get_attr(MPI.APPNUM))))"


def numbers(done):
    """Rank and number of the program (MPI_APPNUM) of each rank."""
    return sorted(re.findall(r"\((\d), (\w+)\)", done.out))


def test_programs_of_a_command_line_are_numbered(muster, mpi):
    done = muster.ok("mpirun", "--oversubscribe", "-np", "1", mpi.python, "-c", APPNUM, ":", "-np", "2", mpi.python, "-c", APPNUM)
    assert numbers(done) == [("0", "0"), ("1", "1"), ("2", "1")], done


def test_groups_that_share_a_world_are_numbered_as_programs(muster, mpi):
    program = [str(mpi.python), "-c", APPNUM]
    muster.job_file(world="shared", framework="mpi", groups=[
        {"name": "first", "workers": 1, "command": program}, {"name": "second", "nodes": 2, "workers": 1, "command": program}])
    assert numbers(muster.ok("run", "job.yaml")) == [("0", "0"), ("1", "1"), ("2", "1")]


def test_one_program_on_several_nodes_has_number_0(muster, mpi):
    script = muster.write("script.sh", f"{muster.binary} mpirun -q -n 3 {mpi.python} appnum.py\n")
    muster.write("appnum.py", APPNUM)
    done = muster.ok("run", "--framework", "plain", *flags(2, 2), "--", "sh", "-c", INSIDE, "sh", f"sh {script}")
    assert numbers(done) == [("0", "0"), ("1", "0"), ("2", "0")], done


@pytest.mark.parametrize("shape", [(1, 3), (2, 2)], ids=["1x3", "2x2"])
def test_a_killed_rank_and_its_peers_resume_from_the_checkpoint(muster, mpi, shape):
    done = muster.ok("run", *flags(*shape), "--restarts", "1", "--", mpi.program("resumes"), "20")
    (_, first), (attempt, second) = re.findall(r"attempt (\d) begins at step (\d+)", done.out)
    assert (first, attempt) == ("0", "2")
    assert int(second) in (9, 10)  # rank 0 may be about to write its checkpoint when its peer is killed
    assert f"sum {20 * shape[0] * shape[1]}\n" in done.out


@pytest.mark.parametrize("shape", [(1, 2), (2, 2)], ids=["1x2", "2x2"])
def test_mpi4py_sends_objects(muster, mpi, shape):
    done = muster.ok("run", *flags(*shape), "--", mpi.python, "-u", __file__.replace("test_mpi_programs.py", "programs/pickles.py"))
    found = re.findall(r"rank (\d+) of \d+: (Open MPI v4|Open MPI v5|MPICH Version: *5|Intel\(R\) MPI)", done.out)
    library = {"openmpi4": "Open MPI v4", "openmpi5": "Open MPI v5", "mpich5": "MPICH", "intel": "Intel(R) MPI"}[mpi.name]
    assert sorted(rank for rank, name in found if name.startswith(library)) == list("0123"[:shape[0] * shape[1]]), done


@pytest.mark.parametrize("shape", [(1, 2), (2, 2)], ids=["1x2", "2x2"])
def test_mlx_finds_its_ranks_by_mpi(muster, libraries, shape):
    code = "import mlx.core as mx\nw = mx.distributed.init(strict=True, backend='mpi')\nprint(w.rank(), w.size(), mx.distributed.all_sum(mx.ones(9))[8].item())"
    done = muster.ok("run", *flags(*shape), "--framework", "mpi", "--", libraries["openmpi4"].python, "-c", code, env={"MLX_MPI_LIBNAME": "libmpi.so.40"})
    size = shape[0] * shape[1]
    assert sorted(done.lines()) == [f"[{rank}] {rank} {size} {float(size)}" for rank in range(size)]


def test_an_exception_of_mpi4py_is_the_reason(muster, mpi):
    code = "from mpi4py import MPI\nif MPI.COMM_WORLD.rank == 1: raise ValueError('no data')\nMPI.COMM_WORLD.barrier()"
    done = muster("run", "-n", "2", "--", mpi.python, "-m", "mpi4py", "-c", code)
    assert "rank 1 raised ValueError: no data" in done.err


def test_data_of_other_nodes_are_fetched_when_they_are_wanted(muster, libraries):
    """Open MPI 4 without the fence that collects all data: libpmix asks the service of the other node."""
    settings = {"OMPI_MCA_pmix_base_async_modex": "1", "OMPI_MCA_pmix_base_collect_data": "0"}
    done = muster.ok("run", "-n", "2", "--nodes", "2", "--", libraries["openmpi4"].program("checks"), env=settings)
    assert "subgroups ok" in done.out


def test_groups_that_share_a_world_are_one_mpi_world(muster, libraries):
    """Two programs in one world, as `mpirun -n 1 ./a : -n 2 ./b` starts them."""
    program = str(libraries["openmpi4"].program("checks"))
    muster.job_file(world="shared", framework="mpi", groups=[
        {"name": "first", "workers": 1, "command": [program]}, {"name": "second", "workers": 2, "command": [program, "b"]}])
    done = muster.ok("run", "job.yaml")
    assert sorted(re.findall(r"rank (\d) of 3", done.out)) == ["0", "1", "2"]


def test_ranks_with_more_ranks_than_cpus_give_way_when_they_wait(muster, libraries):
    done = muster.ok("run", "-n", "64", "--", libraries["openmpi4"].python, "-c",
                     "from mpi4py import MPI; import os; MPI.COMM_WORLD.barrier(); print(os.environ.get('OMPI_MCA_mpi_yield_when_idle'))")
    assert [line.split()[1] for line in done.lines()] == ["1"] * 64
