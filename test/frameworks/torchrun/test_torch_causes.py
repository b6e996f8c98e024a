# SPDX-License-Identifier: Apache-2.0
"""What `muster why` says about failures that torch tells in a roundabout way: a torchrun inside a rank, and workers of a DataLoader."""

import subprocess
from pathlib import Path

import pytest

PATIENCE = 300  # seconds: some imports of torch on a shared machine
RAISES = """
import os
if os.environ["RANK"] == "1":
    raise ValueError("loss is NaN")
os.read(os.pipe()[0], 1)
"""
LOADS = """
import os
from torch.utils.data import DataLoader, Dataset
class Samples(Dataset):
    def __len__(self): return 16
    def __getitem__(self, index):
        if index == 5: FAILS
        return index
for batch in DataLoader(Samples(), batch_size=4, num_workers=2):
    pass
"""


@pytest.fixture
def why(tmp_path, muster_program):
    env = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "MUSTER_STATE_DIR": str(tmp_path / "s")}

    def answer(*command):
        done = subprocess.run([muster_program, "run", "--standalone", "--name", "fails", "--set", "warm=off", "--", *map(str, command)], env=env,
                              cwd=tmp_path, capture_output=True, text=True, check=False, timeout=PATIENCE)
        assert done.returncode != 0, done
        return subprocess.run([muster_program, "why", "fails"], env=env, capture_output=True, text=True, check=True).stdout

    return answer


def test_of_a_torchrun_inside_a_rank_the_inner_exception_is_told(tmp_path, torch_python, why):
    (tmp_path / "train.py").write_text(RAISES)
    told = why(torch_python, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", 2, "train.py")
    assert told.startswith("Rank 0 raised ValueError: loss is NaN, at train.py:4."), told
    assert "ChildFailedError" not in told, told


@pytest.mark.parametrize("fails, said", [
    ('raise ValueError("bad sample 5")', "Rank 0 raised ValueError: bad sample 5 in DataLoader worker process 1, at load.py:7."),
    ("os.kill(os.getpid(), 9)", "Rank 0 raised RuntimeError: DataLoader worker was killed by SIGKILL, at load.py:9."),
    ("os._exit(3)", "Rank 0 raised RuntimeError: DataLoader worker exited with code 3, at load.py:9."),
    ("os.abort()", "Rank 0 raised RuntimeError: DataLoader worker was killed by SIGABRT, at load.py:9."),
], ids=["raises", "is killed", "exits", "aborts"])
def test_a_workers_failure_is_told(tmp_path, torch_python, why, fails, said):
    (tmp_path / "load.py").write_text(LOADS.replace("FAILS", fails))
    told = why(torch_python, Path("load.py"))
    assert told.startswith(said), told
