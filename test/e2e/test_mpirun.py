# SPDX-License-Identifier: Apache-2.0
"""`muster mpirun` without an MPI library (docs/reference/mpirun.md). test/frameworks/mpi compares its command lines with mpirun."""

import signal

import pytest

PLACE = "echo $OMPI_COMM_WORLD_RANK of $OMPI_COMM_WORLD_SIZE, $OMPI_COMM_WORLD_LOCAL_RANK here"


def lines(done):
    return sorted(done.out.splitlines())


def test_programs_of_one_line_share_one_world(muster):
    done = muster.ok("mpirun", "--oversubscribe", "-np", "2", "sh", "-c", PLACE, ":", "-np", "2", "-x", "A=it's", "sh", "-c", PLACE + " $A")
    assert lines(done) == ["0 of 4, 0 here", "1 of 4, 1 here", "2 of 4, 2 here it's", "3 of 4, 3 here it's"]


def test_a_program_has_its_own_folder(muster):
    (muster.work / "other").mkdir()
    done = muster.ok("mpirun", "-np", "1", "pwd", ":", "-np", "1", "-wdir", "other", "pwd")
    assert lines(done) == sorted([str(muster.work), str(muster.work / "other")])


def test_a_program_that_can_not_use_mpi_is_not_noted(muster):
    assert "MPI_Init" not in muster.ok("mpirun", "-np", "2", "uname", "-n").err
    assert muster.ok("mpirun", "-np", "2", "env", "true").err.count("did not call MPI_Init") == 1, "env may start an MPI program"


def test_labels_and_files(muster):
    program = ["sh", "-c", "echo out; echo err >&2"]
    done = muster.ok("mpirun", "-np", "2", "--tag-output", "--output-filename", "logs", *program)
    assert lines(done) == ["[1,0]<stdout>:out", "[1,1]<stdout>:out"] and "[1,1]<stderr>:err" in done.err
    assert (muster.work / "logs/1/rank.1/stdout").read_text() == "out\n" and (muster.work / "logs/1/rank.0/stderr").read_text() == "err\n"
    quiet = muster.ok("mpirun", "-np", "1", "-q", "-outfile-pattern", "rank-%r.log", "-errfile-pattern", "rank-%r.log", *program)
    assert quiet.out == quiet.err == "" and (muster.work / "rank-0.log").read_text() in ("out\nerr\n", "err\nout\n")


def test_stderr_is_merged_on_request(muster):
    assert lines(muster.ok("mpirun", "-np", "2", "--merge-stderr-to-stdout", "sh", "-c", "echo err >&2")) == ["err", "err"]


def test_stdin_goes_to_one_rank_or_all_or_none(muster):
    read = ["sh", "-c", "echo $OMPI_COMM_WORLD_RANK:$(cat)"]
    assert lines(muster.ok("mpirun", "-np", "2", *read, stdin=b"typed")) == ["0:typed", "1:"]
    assert lines(muster.ok("mpirun", "-np", "2", "--stdin", "1", *read, stdin=b"typed")) == ["0:", "1:typed"]
    assert lines(muster.ok("mpirun", "-np", "2", "--stdin", "all", *read, stdin=b"typed")) == ["0:typed", "1:typed"]
    assert lines(muster.ok("mpirun", "-np", "2", "--stdin", "none", *read, stdin=b"typed")) == ["0:", "1:"]
    missing = muster("mpirun", "-np", "2", "--stdin", "2", *read)
    assert missing.code == 1 and "there is no rank 2" in missing.err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_ranks_and_the_command_with_1(muster, number):
    run = muster.start("mpirun", "-np", "2", "sh", "-c", "echo ready; exec sleep 600").says("ready")
    run.signal(number)
    assert run.end().code == 1
    assert muster.job()["state"] == "cancelled"


def test_restarts_on_request(muster):
    muster.write("once.sh", "test -e done && exit 0\ntouch done\nexit 5\n")
    assert muster("mpirun", "-np", "1", "--max-restarts", "1", "sh", "once.sh").code == 0
    assert muster.job()["attempt"] == 2


def test_the_time_limit_of_the_variable(muster):
    done = muster("mpirun", "-np", "1", "sleep", "600", env={"MPIEXEC_TIMEOUT": "1"})
    assert done.code == 110, done
    wrong = muster("mpirun", "-np", "1", "touch", "ran", env={"MPIEXEC_TIMEOUT": "1h"})
    assert wrong.code == 1 and "[E1702]" in wrong.err and "MPIEXEC_TIMEOUT: `1h`" in wrong.err, wrong
    assert not (muster.work / "ran").exists()
    assert muster("mpirun", "-np", "1", "--timeout", "60", "true", env={"MPIEXEC_TIMEOUT": "1h"}).code == 0


def test_mistakes_are_named_and_nothing_starts(muster):
    muster.write("hosts", "localhost slots=2\nlocalhost:x\n")
    wrong = muster("mpirun", "--hostfile", "hosts", "touch", "ran")
    assert wrong.code == 1 and "[E1502]" in wrong.err and "hosts:2:1" in wrong.err, wrong
    muster.write("apps", "-np 1 touch ran\n-np 1 --nope touch ran\n")
    unknown = muster("mpirun", "--app", "apps")
    assert unknown.code == 1 and "[E1701]" in unknown.err and "apps:2:1" in unknown.err, unknown
    missing = muster("mpirun", "--app", "nowhere")
    assert missing.code == 1 and "[E1704]" in missing.err, missing
    absent = muster("mpirun", "-np", "1", "touch", "ran", ":", "-np", "1", "nowhere")
    assert absent.code == 134 and "`nowhere`" in absent.err, absent
    assert not (muster.work / "ran").exists()


def test_flags_without_effect_are_named_once(muster):
    done = muster.ok("mpirun", "-np", "1", "--report-bindings", "--report-bindings", "--bind-to", "socket", "true")
    assert done.err.count("--report-bindings has no effect") == 1 and done.err.count("--bind-to socket has no effect") == 1
    assert muster.ok("mpirun", "-q", "-np", "1", "--report-bindings", "true").err == ""


def test_bound_ranks_have_cpus_of_their_own(muster):
    done = muster.ok("mpirun", "-np", "1", "--bind-to", "hwthread", "sh", "-c", "grep Cpus_allowed_list /proc/self/status")
    assert done.out.split()[1].isdigit(), done


def test_inside_a_job_ranks_start_on_its_node(muster):
    inner = f"{muster.binary} mpirun -q -np 2 sh -c '{PLACE}'"
    done = muster.ok("run", "-q", "-n", "1", "--", "sh", "-c", inner)
    assert lines(done) == ["0 of 2, 0 here", "1 of 2, 1 here"]


def test_the_shim_serves_scripts(muster):
    folder = muster.ok("mpirun", "--shim").out.strip()
    script = muster.write("script.sh", f"mpiexec -n 2 sh -c '{PLACE}'\n")
    done = muster.shell(f"PATH={folder}:$PATH sh {script}")
    assert done.code == 0 and lines(done) == ["0 of 2, 0 here", "1 of 2, 1 here"], done
