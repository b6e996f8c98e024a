# SPDX-License-Identifier: Apache-2.0
"""Programs behind wrappers, on standard input and without a known framework: each rank learns its rank."""

import pytest

# Like a training script that falls back to one process.
TRAIN = """import os, sys
rank = os.environ.get("RANK")
print("alone" if rank is None else f"rank {rank} of {os.environ['WORLD_SIZE']} at {int(os.environ['MASTER_PORT']) > 0}", *sys.argv[1:])
"""
RANKS = ["[0] rank 0 of 2 at True", "[1] rank 1 of 2 at True"]

COMMANDS = {
    "script": ["./train.sh"],
    "bash": ["bash", "-c", "python3 train.py"],
    "env": ["env", "X=1", "python3", "train.py"],
    "nice": ["nice", "-n", "5", "python3", "train.py"],
    "timeout": ["timeout", "60", "python3", "train.py"],
    "stdbuf": ["stdbuf", "-oL", "python3", "train.py"],
    "runpy": ["python3", "-m", "runpy", "train"],
    "entry point": ["bin/learn"],
}


@pytest.fixture
def project(muster):
    muster.write("train.py", TRAIN)
    muster.write("train.sh", "#!/bin/sh\necho starting >&2\nexec python3 \"$(dirname \"$0\")/train.py\" \"$@\"\n").chmod(0o755)
    muster.write("hidden.sh", "#!/bin/sh\nname=$(echo niart | rev)\npython3 $name.py\n").chmod(0o755)
    (muster.work / "bin").mkdir()
    (muster.work / "lib/python3.11/site-packages/learner").mkdir(parents=True)
    muster.write("bin/learn", "#!/usr/bin/env python3\nimport sys\nsys.path.insert(0, 'lib/python3.11/site-packages')\n"
                              "from learner.cli import main\nmain()\n").chmod(0o755)
    muster.write("lib/python3.11/site-packages/learner/cli.py", TRAIN.replace("rank = ", "def main():\n  rank = ").replace("\nprint", "\n  print"))
    return muster


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS.keys())
def test_a_program_behind_a_wrapper_is_found(project, command):
    done = project.ok("run", "-n", "2", "--", *command)
    assert sorted(done.lines()) == RANKS
    assert "framework: torch (" in done.err and " reads RANK)" in done.err


def test_a_program_without_a_known_framework_learns_its_rank_too(project):
    done = project.ok("run", "-n", "2", "--", "./hidden.sh")
    assert sorted(done.lines()) == RANKS
    assert "2 ranks on this machine · framework unknown" in done.err and "framework:" not in done.err


def test_plain_ranks_get_no_variables_of_torch(project):
    done = project.ok("run", "-n", "2", "--framework", "plain", "--", "./train.sh")
    assert sorted(done.lines()) == ["[0] alone", "[1] alone"]
    assert "framework:" not in done.err


def test_a_missing_rank_is_explained_by_the_key(project):
    project.write("needs.py", "import os\nprint(os.environ['RA' + 'NK'])\n")
    done = project("run", "--name", "needs", "--framework", "plain", "-n", "2", "--", "python3", "needs.py")
    assert done.code == 1
    assert "framework: torch" in project("why", "needs").out


@pytest.mark.parametrize("command", [["python3", "-u", "-", "a"], ["env", "X=1", "python3", "/dev/stdin", "a"]])
def test_a_program_on_standard_input_runs_in_every_rank(project, command):
    done = project.ok("run", "-n", "2", "--", *command, stdin=TRAIN.encode())
    assert sorted(done.lines()) == [line + " a" for line in RANKS]


def test_a_shell_script_on_standard_input_runs_in_every_rank(project):
    done = project.ok("run", "-n", "2", "--", "bash", "-s", "a", stdin=b"echo rank $RANK $1\n")
    assert sorted(done.lines()) == ["[0] rank 0 a", "[1] rank 1 a"]


def test_a_launcher_in_every_rank_is_noted(project, tmp_path):
    launcher = tmp_path / "torchrun"
    launcher.write_text("#!/bin/sh\n")
    launcher.chmod(0o755)
    note = "each rank starts torchrun for itself"
    said = project.ok("run", "-n", "2", "--", launcher, "--nproc-per-node", "2", "train.py").err
    assert note in said and "muster run -n 2 -- python3 train.py, or: muster torchrun --nproc-per-node 2 train.py" in said
    assert note not in project.ok("run", "--", launcher, "--nproc-per-node", "2", "train.py").err
    assert note not in project.ok("run", "-n", "2", "--framework", "plain", "--", launcher, "train.py").err
    assert note not in project.ok("run", "-n", "2", "--", launcher, "--nnodes", "2", "train.py").err


@pytest.mark.parametrize("script", ["-", "/dev/stdin"])
def test_torchrun_runs_a_program_on_standard_input(project, script):
    done = project.ok("torchrun", "--nproc-per-node", "2", script, "a", stdin=TRAIN.encode())
    assert sorted(done.lines()) == [line[4:] + " a" for line in RANKS]


def test_an_empty_standard_input_is_no_program(project):
    done = project("torchrun", "--nproc-per-node", "2", "-", stdin=b"")
    assert done.code == 2 and "the program is standard input, but that is empty" in done.err


def test_a_module_of_torch_is_torchrun(project):
    done = project.ok("python3", "-m", "torch.distributed.run", "--nproc-per-node", "2", "train.py")
    assert sorted(done.lines()) == [line[4:] for line in RANKS]
    done = project.ok("python3", "-m", "torch.distributed.launch", "--nproc_per_node=2", "train.py", "a")
    assert sorted(done.lines()) == [f"{line[4:]} --local-rank={rank} a" for rank, line in enumerate(RANKS)]
    done = project.ok("python3", "-m", "torch.distributed.launch", "--use_env", "train.py")
    assert done.lines() == ["rank 0 of 1 at True"]


def test_a_variable_in_a_job_file_is_warned_of(muster):
    muster.job_file(command=["sh", "-c", "echo $KEY"], env={"KEY": "${KEY}"})
    done = muster.ok("run", "job.yaml", env={"KEY": "right"})
    assert "warning" in done.err and "E1317" in done.err and 'KEY: {from: "env:KEY"}' in done.err
    muster.job_file(command=["sh", "-c", "echo $KEY"], env={"KEY": {"from": "env:KEY"}})
    done = muster.ok("run", "job.yaml", env={"KEY": "right"})
    assert done.lines() == ["right"] and "warning" not in done.err


def test_virtual_local_ranks_without_a_known_gpu_get_numbers(muster):
    muster.write("tell.py", "import os\nprint(os.environ['LOCAL_RANK'], os.environ['CUDA_VISIBLE_DEVICES'])\n")
    words = ["torchrun", "--nproc-per-node", "2", "--virtual-local-rank", "tell.py"]
    assert sorted(muster.ok(*words).lines()) == ["0 0", "0 1"]
    assert sorted(muster.ok(*words, env={"CUDA_VISIBLE_DEVICES": "7,3"}).lines()) == ["0 3", "0 7"]
    refused = muster(*words, env={"CUDA_VISIBLE_DEVICES": "7"})
    assert refused.code == 2 and "CUDA_VISIBLE_DEVICES=`7`" in refused.err
