# SPDX-License-Identifier: Apache-2.0
"""`muster torchrun`: the programs it runs and their environment (docs/reference/torchrun.md). test/frameworks compares with torchrun."""

import json
import os
import shutil
import sys

import pytest

from leaks import names_in

DUMP = "import json, os, sys\njson.dump([sys.argv, dict(os.environ)], open(f'env-{os.environ[\"RANK\"]}.json', 'w'))\n"


def environments(muster, ranks):
    return [json.loads((muster.work / f"env-{rank}.json").read_text())[1] for rank in range(ranks)]


def test_ranks_are_told_their_place(muster):
    muster.write("dump.py", DUMP)
    done = muster.ok("torchrun", "--nproc-per-node", "2", "--max-restarts", "3", "--role", "trainer", "--rdzv-backend", "c10d", "--rdzv-id", "mine", "dump.py")
    assert done.out == "" and done.err == ""
    one = environments(muster, 2)[1]
    expected = {"RANK": "1", "LOCAL_RANK": "1", "WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2", "GROUP_RANK": "0", "GROUP_WORLD_SIZE": "1",
                "ROLE_NAME": "trainer", "ROLE_RANK": "1", "ROLE_WORLD_SIZE": "2", "TORCHELASTIC_RUN_ID": "mine", "TORCHELASTIC_MAX_RESTARTS": "3",
                "TORCHELASTIC_RESTART_COUNT": "0", "TORCHELASTIC_USE_AGENT_STORE": "True", "OMP_NUM_THREADS": "1",
                "TORCHELASTIC_SIGNALS_TO_HANDLE": "SIGTERM,SIGINT,SIGHUP,SIGQUIT"}
    assert {name: one[name] for name in expected} == expected


def test_the_shells_environment_counts(muster):
    muster.write("dump.py", DUMP)
    shell = {"PET_NPROC_PER_NODE": "2", "PET_ROLE": "actor", "OMP_NUM_THREADS": "5", "TORCH_NCCL_ASYNC_ERROR_HANDLING": "3", "MINE": "x"}
    muster.ok("torchrun", "--role", "typed", "dump.py", env=shell)
    for environment in environments(muster, 2):
        assert [environment[name] for name in ("ROLE_NAME", "OMP_NUM_THREADS", "TORCH_NCCL_ASYNC_ERROR_HANDLING", "MINE")] == ["typed", "5", "3", "x"]


@pytest.mark.parametrize("flags, script", [([], "dump.py"), (["-m"], "dump"), (["--run-path"], "dump.py"), (["--no-python"], "./dump.py")])
def test_every_form_of_program(muster, flags, script):
    muster.write("dump.py", "#!/usr/bin/env python3\n" + DUMP).chmod(0o755)
    muster.ok("torchrun", *flags, script, "--lr", "1", "${local_rank}", "--", "-r3")
    argv = json.loads((muster.work / "env-0.json").read_text())[0]
    assert os.path.basename(argv[0]) == "dump.py"
    assert argv[1:] == ["--lr", "1", "0", "--", "-r3"]


def test_the_interpreter_is_chosen(muster):
    muster.write("python-mine", '#!/bin/sh\necho mine "$@"\n').chmod(0o755)
    muster.write("x.py", "import sys; print(sys.executable)\n")
    assert muster.ok("torchrun", "x.py", env={"PYTHON_EXEC": str(muster.work / "python-mine")}).out == "mine -u x.py\n"
    venv = muster.work / "venv" / "bin"
    venv.mkdir(parents=True)
    (venv / "python3").symlink_to(os.path.realpath(sys.executable))
    (venv.parent / "pyvenv.cfg").write_text("")
    usual = shutil.which("python3", path=muster.env["PATH"])
    other = muster.ok("torchrun", "x.py", env={"VIRTUAL_ENV": str(venv.parent)})
    assert other.out == f"{usual}\n"
    assert other.err == f"ranks run under {usual}, not under the Python of VIRTUAL_ENV ({venv.parent}); set PYTHON_EXEC={venv}/python3 for that one\n"
    same = muster.ok("torchrun", "x.py", env={"VIRTUAL_ENV": str(venv.parent), "PATH": f"{venv}:{muster.env['PATH']}"})
    assert same.err == ""
    (venv / "torchrun").symlink_to(muster.binary)
    assert muster.shell(f"{venv}/torchrun x.py").out == f"{venv}/python3\n"
    muster.write("venv/bin/tool", "import sys; print(sys.executable)\n")
    assert muster.ok("torchrun", "venv/bin/tool").out == f"{venv}/python3\n"
    missing = muster("torchrun", "x.py", env={"PYTHON_EXEC": "/nowhere/python"})
    assert missing.code == 2 and "PYTHON_EXEC is `/nowhere/python`" in missing.err
    assert muster("torchrun", "x.py", env={"PATH": "/nowhere"}).err.startswith("error: no python3 is in PATH")


def test_as_many_ranks_as_cpus(muster):
    assert len(muster.ok("torchrun", "--nproc-per-node", "cpu", "--no-python", "echo", "x").lines()) == len(os.sched_getaffinity(0))


def test_a_range_of_nodes_runs_on_this_one(muster):
    done = muster.ok("torchrun", "--standalone", "--nnodes", "1:4", "--no-python", "sh", "-c", "echo $GROUP_WORLD_SIZE")
    assert done.out == "1\n" and "--nnodes 1:4: runs on this host only" in done.err


@pytest.mark.parametrize("words, sentence", [
    (["--nprocs", "2", "x.py"], "did you mean `--nproc-per-node`?"),
    (["--nnodes", "4:1", "x.py"], "smaller number last"),
    (["--nproc-per-node", "cqu", "x.py"], "did you mean `cpu`?"),
    (["-r", "5", "x.py"], "--redirects is 0, 1 (stdout), 2 (stderr) or 3 (both)"),
    (["--rdzv-backend", "c10d", "--rdzv-endpoint", "h:http", "x.py"], "a port from 0 to 65535"),
    (["trian.py"], "did you mean `train.py`?"),
    (["--no-python", "no-such-program"], "the program `no-such-program` is not in PATH"),
    (["--log-dir", "train.py", "train.py"], "is not a folder"),
    ([], "there is no script to run"),
])
def test_mistakes_are_told_before_anything_starts(muster, words, sentence):
    muster.write("train.py", "")
    done = muster("torchrun", *words)
    assert done.code == 2 and sentence in done.err and done.out == "", done
    assert muster.ok("ps", "-a", "-o", "json").json()["jobs"] == []


def test_without_a_gpu_nothing_is_bound_beside_it(muster):
    done = muster("torchrun", "--numa-binding", "node", "--no-python", "echo", "x", env={"CUDA_VISIBLE_DEVICES": ""})
    assert done.code == 2 and "cannot bind ranks to the CPUs near their GPUs: local rank 0 has no GPU" in done.err, done


def test_a_link_called_torchrun_is_it(muster):
    link = muster.work / "torchrun"
    link.symlink_to(muster.binary)
    done = muster.shell(f"{link} --nproc-per-node 2 --no-python sh -c 'echo $RANK'")
    assert sorted(done.lines()) == ["0", "1"] and done.code == 0, done


def test_completion_and_help(muster):
    assert "--nproc-per-node" in muster.ok("torchrun", "--print-completion", "bash").out
    assert "--nproc-per-node N|auto|cpu|gpu" in muster.ok("torchrun", "--help").out


def test_the_plan_without_a_start(muster):
    muster.write("train.py", "")
    shown = muster.ok("render", "-o", "json", "torchrun", "--nproc-per-node", "2", "train.py", "-o", "x").json()
    assert shown["flags"]["training_script_args"] == ["-o", "x"]
    assert "plan" in shown and names_in(muster.work) == {"train.py"}
    wrong = muster("render", "-o", "json", "torchrun", "--nnodes", "0", "train.py")
    assert wrong.code == 2 and "--nnodes" in wrong.json()["error"]


def test_the_job_is_known_afterwards(muster):
    muster.ok("torchrun", "--no-python", "sh", "-c", "echo here")
    assert not muster.processes("serve")
    assert muster.ok("logs", "@last").out == "here\n"
    assert muster.job()["state"] == "succeeded"
