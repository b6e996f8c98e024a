# SPDX-License-Identifier: Apache-2.0
"""`muster mpirun` on hosts that -H and host files name: which ranks run where, and their order."""

import subprocess

import pytest

PLACE = "echo $OMPI_COMM_WORLD_RANK of $OMPI_COMM_WORLD_SIZE on $(hostname)"


def placed(done):
    """The host of each rank, in the order of the ranks."""
    assert done.returncode == 0, done.stderr
    words = sorted((line.split() for line in done.stdout.splitlines()), key=lambda line: int(line[0]))
    assert [int(line[0]) for line in words] == list(range(len(words))) and all(line[2] == str(len(words)) for line in words), done.stdout
    return " ".join(line[4] for line in words)


@pytest.mark.parametrize("flags, hosts_of_ranks", [
    (["-H", "a1:2,a2:2"], "a1 a1 a2 a2"),
    (["-H", "a1:2,a2:2", "-np", "3"], "a1 a1 a2"),
    (["-H", "a2,a1"], "a2 a1"),
    (["-H", "a1:2,a2:2", "--map-by", "node"], "a1 a2 a1 a2"),
    (["-H", "a1:2,a2:2", "-N", "1"], "a1 a2"),
    (["-H", "a1:1,a2:1", "-np", "3", "--oversubscribe"], "a1 a1 a2"),
    (["--hostfile", "/home/mia/hosts", "-np", "3"], "a1 a1 a3"),
    (["-H", "a1:1", "-np", "1", "sh", "-c", PLACE, ":", "-wdir", "/", "-H", "a2:2", "-np", "2"], "a1 a2 a2")])
def test_ranks_are_on_the_hosts_that_mpirun_chooses(network, hosts, desk, flags, hosts_of_ranks):
    network.here.run("sh", "-c", "printf 'a1 slots=2\\na3  # as many as cores\\n' > /home/mia/hosts")
    assert placed(desk.muster("mpirun", "-wdir", "/", *flags, "sh", "-c", PLACE)) == hosts_of_ranks


def test_the_code_of_a_rank_and_unreachable_hosts(network, hosts, desk):
    failed = desk.muster("mpirun", "-wdir", "/", "-H", "a1,a2", "sh", "-c", "[ $OMPI_COMM_WORLD_RANK = 0 ] || exit 7; sleep 1000")
    assert failed.returncode == 7, failed.stderr
    missing = desk.muster("mpirun", "-wdir", "/", "-H", "a1,nowhere", "true")
    assert missing.returncode == 1 and "nowhere" in missing.stderr and "nothing was started" in missing.stderr, missing.stderr


@pytest.mark.parametrize("flags, noted", [(["-H", "a1"], True), (["-H", "a1", "--stdin", "none"], False), (["-np", "1"], False)])
def test_a_note_says_that_other_hosts_do_not_read_a_pipe(network, hosts, desk, flags, noted):
    words = network.words_of_muster("mpirun", "-wdir", "/", *flags, "true")
    done = subprocess.run(words, env=network.variables(), input="typed", capture_output=True, text=True, timeout=120, check=False, cwd="/")
    assert done.returncode == 0 and ("stdin is a pipe" in done.stderr) == noted, done.stderr


def test_inside_a_job_on_hosts_ranks_start_on_these_hosts(hosts, desk):
    """Rank 0 calls mpirun. The other ranks end with it, since its code is not 0."""
    script = f"""PATH=$($MUSTER_PROGRAM mpirun --shim):$PATH
mpirun -n 4 sh -c '{PLACE}'
mpirun -n 4 sh -c '[ $OMPI_COMM_WORLD_RANK = 3 ] && exit 7; sleep 1000'
echo code $?
exit 5"""
    words = ["sh", "-c", f"if [ $MUSTER_RANK = 0 ]; then {script}; fi; sleep 1000"]
    done = desk.muster("run", "-q", "--propagate", "--hosts", "a1,a2", "--nodes", "2", "-n", "2", "--workdir", "/", "--", *words)
    assert done.returncode == 5, done.stderr
    lines = sorted(line.removeprefix("[0] ") for line in done.stdout.splitlines())
    assert lines == ["0 of 4 on a1", "1 of 4 on a1", "2 of 4 on a2", "3 of 4 on a2", "code 7"], (lines, done.stderr)
