# SPDX-License-Identifier: Apache-2.0
"""muster's reasons for torch ranks that fail. torch puts the rank before every line, and peers fail before the first rank has ended."""

import json
import subprocess

import pytest

RAISES = """
import torch.distributed as dist
{imports}
{record}
def main():
    dist.init_process_group("gloo")
    dist.barrier()
    try:
        if dist.get_rank() == 1:
            raise ValueError("loss is NaN")
        dist.barrier()
    finally:
        {leave}

main()
"""
WAYS = {
    "and ends": {"imports": "", "record": "", "leave": "pass"},
    "and closes its connections": {"imports": "", "record": "", "leave": "dist.destroy_process_group()"},
    "and records it": {"imports": "from torch.distributed.elastic.multiprocessing.errors import record", "record": "@record", "leave": "dist.destroy_process_group()"},
}
PATIENCE = 300  # seconds: two imports of torch on a shared machine


@pytest.mark.parametrize("way", WAYS)
def test_the_rank_that_raised_is_the_cause(tmp_path, torch_python, muster_program, way):
    script = tmp_path / "raises.py"
    script.write_text(RAISES.format(**WAYS[way]))
    env = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "MUSTER_STATE_DIR": str(tmp_path / "s")}
    flags = ["--framework", "torch", "--restarts", "3", "--set", "restarts.never_on=[exception ValueError]"]
    done = subprocess.run([muster_program, "run", "--standalone", "--name", "raises", "-n", "2", *flags, "--", torch_python, str(script)], env=env,
                          capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert done.returncode == 1, done
    told = json.loads(subprocess.run([muster_program, "describe", "raises", "-o", "json"], env=env, capture_output=True, text=True, check=True).stdout)
    assert "rank 1 raised ValueError: loss is NaN at raises.py:10 (restarts.never_on: exception ValueError)" in told["sentence"], done
    assert told["attempt"] == 1, told
