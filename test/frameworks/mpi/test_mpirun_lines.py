# SPDX-License-Identifier: Apache-2.0
"""Command lines of mpirun and mpiexec, as they are in READMEs and scripts of public projects, with other programs.

Each is run with `muster mpirun`, and those of Open MPI also with mpirun 4.1 (Debian's openmpi-bin), if it is there: the ranks, their
variables and folders, their output and the exit code are the same. The program is MUSTER_BINARY, or that of the dev preset.
"""

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

BINARY = os.environ.get("MUSTER_BINARY", str(Path(__file__).resolve().parents[3] / "build" / "dev" / "muster"))
MPIRUN = shutil.which("mpirun.openmpi")
PATIENCE = 60

# What a rank prints: its place, variables that the lines set, and its folder.
NAMES = ["OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE", "FOO", "HOROVOD_FUSION",
         "OMPI_MCA_btl", "OMPI_MCA_pml", "OMPI_MCA_coll", "I_MPI_DEBUG", "QPL_LICENSE", "PWD"]
PROGRAM = "sh -c '" + "echo " + " ".join(f"{name}=${name}" for name in NAMES) + "'"

SAME = [
    "mpirun {}",
    "mpirun -np 2 {}",
    "mpirun --allow-run-as-root -np 2 {}",
    "mpirun --allow-run-as-root --oversubscribe -np 4 {}",
    "mpirun --oversubscribe --bind-to none -np 4 {}",
    "mpirun -np 2 -q {}",
    "mpirun -np 2 -H localhost:8 {}",
    "mpirun -np 8 -H localhost:8 --bind-to none {}",
    "mpirun -host localhost,localhost {}",
    "mpirun -hostfile hosts {}",
    "mpirun -hostfile hosts -np 2 python3 -c 'print(1)'",
    "mpirun --hostfile hosts -np 3 -x PATH -x LD_LIBRARY_PATH -x FOO=bar {}",
    "mpirun -np 3 -hostfile hosts -mca plm_rsh_no_tree_spawn 1 -bind-to none -map-by slot -x HOROVOD_FUSION=16777216 -x PATH -mca pml ob1 -mca btl ^openib {}",
    "mpirun --allow-run-as-root -np 2 -mca coll ^hcoll {}",
    "mpirun --map-by socket:OVERSUBSCRIBE -np 8 {}",
    "mpirun --map-by node -np 2 {}",
    "mpirun --map-by slot:PE=1 --bind-to core --report-bindings -np 2 {}",
    "mpirun --map-by core --mca coll_tuned_use_dynamic_rules true --mca coll_tuned_barrier_algorithm 1 -np 2 {}",
    "mpirun --map-by ppr:1:node:pe=1 {}",
    "mpirun --map-by ppr:2:node {}",
    "mpirun -N 2 {}",
    "mpirun -npernode 1 {}",
    "mpirun -hostfile hosts -np 1 {} : -np 2 -x FOO=second {}",
    "mpirun -np 1 -x FOO=\"it's first\" {} : -np 1 -wdir /tmp {}",
    "mpirun --app apps",
    "mpirun -np 2 -wdir /tmp {}",
    "mpirun -np 2 --mca btl self,tcp -x FOO {}",
    "mpirun -np 2 --tag-output {}",
    "mpirun -np 1 --tag-output sh -c 'echo to stderr >&2'",
    "mpirun -np 2 --rank-by slot {}",
]
ENDS = [
    "mpirun -np 2 sh -c 'exit 3'",
    "mpirun -np 2 sh -c 'exit $OMPI_COMM_WORLD_RANK'",
    "mpirun -np 2 sh -c 'kill -9 $$'",
    "mpirun -np 1 true : -np 1 sh -c 'exit 4'",
    "mpirun --timeout 1 -np 1 sleep 600",
    "mpirun -np 2 there-is-no-such-program",
    "mpirun -np 1 -wdir /nonexistent pwd",
    "mpirun -np 4000 true",
    "mpirun -H localhost -np 2 true",
    "mpirun -np 2 -npernode 1 true",
    "mpirun -np 9 -H localhost:9 --bind-to core --map-by slot:PE=4000 true",
    "mpirun --no-such-flag true",
    "mpirun -np x true",
    "mpirun -np 2",
    "mpirun --hostfile missing -np 1 true",
    "mpirun --hostfile wrong -np 1 true",
    "mpirun --map-by nonsense -np 1 true",
    "mpirun --version",
]
# Lines of Hydra. Each is run with mpiexec of MPICH, and of Intel MPI, if they take it. {} prints what HYDRA_PROGRAM says.
HYDRA = [
    "mpiexec -n 2 {}",
    "mpiexec -np 1 {}",
    "mpiexec -genv QPL_LICENSE 4705 -n 2 {}",
    "mpiexec -genv I_MPI_DEBUG=6 -genv FOO=5 -np 2 {}",
    "mpiexec -genvall -f machines -np 3 {}",
    "mpiexec -machinefile machines -n 2 {}",
    "mpirun -ppn 2 -np 2 {}",
    "mpirun -ppn 1 -n 1 -hosts localhost -env FOO=1 -env I_MPI_DEBUG 5 {}",
    "mpiexec -hosts localhost:2 -n 2 {}",
    "mpiexec -n 1 -env FOO 1 {} : -n 1 -env FOO 2 {}",
    "mpiexec -genv FOO both -n 1 {} : -n 1 {}",
    "mpiexec -configfile hydra-apps",
    "mpiexec -wdir /tmp -n 2 {}",
    "mpiexec -launcher fork -n 2 {}",
    "mpiexec -bind-to none -map-by slot -n 2 {}",
    "mpiexec -iface lo -n 2 {}",
    "mpiexec -disable-hostname-propagation -n 2 {}",
    "mpiexec -print-all-exitcodes -n 2 {}",
    "mpiexec -prepend-rank -n 2 echo hello",
    "mpiexec -l -n 2 echo hello",
    "mpiexec -print-rank-map -genv I_MPI_DEBUG=+5 -n 2 {}",
    "mpiexec -outfile-pattern out-%r -n 2 {}",
]
HYDRA_PROGRAM = ("sh -c 'echo rank ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} of ${OMPI_COMM_WORLD_SIZE:-$PMI_SIZE}"
                 " FOO=$FOO I_MPI_DEBUG=$I_MPI_DEBUG QPL_LICENSE=$QPL_LICENSE PWD=$PWD'")
# Lines that name other hosts: without ssh, they get as far as that.
OTHER_HOSTS = [
    "mpirun -np 16 -H h20n4:8,h20n5:8 {}",
    "mpirun -np 8 -H node1:4,node2:4 --map-by ppr:4:node {}",
    "mpirun -ppn 1 -n 2 -hosts a1,a2 -env I_MPI_FABRICS=shm:dapl -env I_MPI_DYNAMIC_CONNECTION=0 hostname",
    "mpiexec -n 1 -host foo master : -n 4 -host mysmp:4 worker",
]
REFUSED = {
    "mpirun -hostfile hosts -rankfile ranks -np 2 {}": "E1703",
    "mpirun -np 4 --map-by ppr:1:gpu --bind-to core {}": "E1702",
    "mpirun --map-by 16:node:PE=1:SPAN:NOOVERSUBSCRIBE {}": "E1702",
    "mpirun --map-by node:SPAN {}": "E1703",
    "mpirun -ppn 4 -np 8 --cpu-bind list:2-23:26-47 {}": "E1703",
    "mpirun -np 2 --do-not-launch {}": "E1703",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("lines")
    (made / "hosts").write_text("# this machine\nlocalhost slots=3\n")
    (made / "wrong").write_text("localhost slots=two\n")
    (made / "rank.sh").write_text("#!/bin/sh\n" + shlex.split(PROGRAM)[2] + "\n")
    (made / "rank.sh").chmod(0o755)
    (made / "machines").write_text("localhost:3\n")
    (made / "hydra.sh").write_text("#!/bin/sh\n" + shlex.split(HYDRA_PROGRAM)[2] + "\n")
    (made / "hydra.sh").chmod(0o755)
    (made / "hydra-apps").write_text("-n 1 ./hydra.sh\n-n 1 -env FOO 2 ./hydra.sh\n")
    (made / "apps").write_text("# two programs\n-np 1 ./rank.sh\n-np 1 -x FOO=2 ./rank.sh\n")
    return made


def run(folder, program, line, **more):
    """Runs the line with this program in place of mpirun."""
    words = shlex.split(line.replace("{}", PROGRAM))[1:]
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), "TERM": "dumb", "MUSTER_STATE_DIR": str(folder / "state"),
           "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return subprocess.run([*program, *words], cwd=folder, env=env | more, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=PATIENCE, check=False)


def ours(folder, line, **more):
    return run(folder, [BINARY, "mpirun"], line, **more)


def theirs(folder, line):
    if MPIRUN is None:
        pytest.skip("there is no mpirun of Open MPI")
    return run(folder, [MPIRUN], line)


@pytest.mark.parametrize("line", SAME)
def test_ranks_variables_and_output_are_those_of_mpirun(folder, line):
    own, real = ours(folder, line), theirs(folder, line)
    assert own.returncode == real.returncode == 0, (own, real)
    assert sorted(own.stdout.splitlines()) == sorted(real.stdout.splitlines()), own.stderr
    for text in re.findall(r"^.*to stderr$", real.stderr, re.M):
        assert text in own.stderr.splitlines()


@pytest.mark.parametrize("line", ENDS)
def test_exit_codes_are_those_of_mpirun(folder, line):
    own, real = ours(folder, line), theirs(folder, line)
    assert own.returncode == real.returncode, (own, real)


def hydras():
    """mpiexec of MPICH and of Intel MPI, if their environments are there."""
    pythons = Path(os.environ.get("MUSTER_MPI_PYTHONS", "/nonexistent"))
    return [path for path in (pythons / "mpich/bin/mpiexec.hydra", pythons / "intel/bin/mpiexec.hydra") if path.exists()]


def outcome(folder, done):
    """The exit code, and all lines of output and of files that the line wrote, without those about the launch itself."""
    files = sorted(folder.glob("out-*"))
    lines = done.stdout.splitlines() + [f"{file.name}: {line}" for file in files for line in file.read_text().splitlines()]
    for file in files:
        file.unlink()
    return done.returncode, sorted(line for line in lines if line and not re.fullmatch(r"\(\S+:[\d,-]+\)|\[mpiexec@.*", line))


@pytest.mark.parametrize("line", HYDRA)
def test_lines_of_hydra_start_the_same_ranks(folder, line):
    line = line.replace("{}", HYDRA_PROGRAM)
    found = [(str(hydra), outcome(folder, run(folder, [hydra], line))) for hydra in hydras()]
    if not found:
        pytest.skip("there is no mpiexec of MPICH or Intel MPI")
    taken = {str(result) for _, result in found if result[0] == 0}
    assert taken, found
    assert str(outcome(folder, ours(folder, line))) in taken


# Prints the flags of a launcher.
HELPS = [*([[MPIRUN, "--help", "full", "--allow-run-as-root"]] if MPIRUN else []), *([str(hydra), "-help"] for hydra in hydras())]


@pytest.mark.parametrize("words", HELPS, ids=lambda words: words[0])
def test_every_flag_of_the_help_is_known(folder, words):
    text = subprocess.run(words, capture_output=True, text=True, check=False).stdout
    flags = {flag for line in re.findall(r"^ *(-[-a-zA-Z0-9/|]+)", text, re.M) for flag in re.split(r"[/|]", line)}
    assert len(flags) > 25, text
    unknown = [flag for flag in sorted(flags) if "[E1701]" in ours(folder, f"mpiexec {flag}").stderr]
    assert not unknown


@pytest.mark.parametrize("line", OTHER_HOSTS)
def test_other_hosts_are_reached_over_ssh(folder, line):
    done = ours(folder, line, PATH=str(folder))
    assert done.returncode == 1 and "ssh" in done.stderr and "E17" not in done.stderr, done


@pytest.mark.parametrize("line, code", REFUSED.items())
def test_what_would_change_the_result_is_refused(folder, line, code):
    done = ours(folder, line)
    assert done.returncode == 1 and f"[{code}]" in done.stderr and "nothing was started" in done.stderr and not done.stdout, done


def test_rank_0_reads_stdin_as_with_mpirun(folder):
    for program in [[BINARY, "mpirun"], *([[MPIRUN]] if MPIRUN else [])]:
        done = subprocess.run([*program, "-np", "2", "sh", "-c", "echo $OMPI_COMM_WORLD_RANK:$(cat)"], cwd=folder, input="typed", text=True,
                              env={"PATH": os.environ["PATH"], "HOME": str(folder), "MUSTER_STATE_DIR": str(folder / "state"),
                                   "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"},
                              capture_output=True, timeout=PATIENCE, check=True)
        assert sorted(done.stdout.split()) == ["0:typed", "1:"], done


@pytest.mark.parametrize("name", ["mpirun", "mpiexec"])
def test_a_script_finds_the_shim_in_its_path(folder, name):
    made = ours(folder, "mpirun --shim")
    path = made.stdout.strip()
    assert made.returncode == 0 and sorted(os.listdir(path)) == ["mpiexec", "mpiexec.hydra", "mpirun", "orterun"], made
    script = folder / "script.sh"
    script.write_text(f"#!/bin/sh\nexec {name} -n 2 echo ran\n")
    script.chmod(0o755)
    done = run(folder, ["env", f"PATH={path}:{os.environ['PATH']}"], f"env {script}")
    assert (done.returncode, done.stdout) == (0, "ran\nran\n"), done
