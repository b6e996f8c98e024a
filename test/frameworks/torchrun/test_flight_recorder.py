# SPDX-License-Identifier: Apache-2.0
"""A hanging gang of torch ranks: muster reads torch's real flight recorder, with Gloo."""

import json
import subprocess

PROGRAM = """
import os, select, torch, torch.distributed as dist
from torch.distributed.elastic.control_plane import worker_main

@worker_main()
def main():
    dist.init_process_group("gloo")
    dist.all_reduce(torch.ones(4))
    if dist.get_rank() == 2:
        select.select([], [], [])
    dist.all_reduce(torch.ones(4))

main()
"""
PATIENCE = 120  # seconds; the finding takes twelve of them


def test_who_has_not_entered_a_collective_is_named(tmp_path, torch_python, muster_program):
    script = tmp_path / "hangs.py"
    script.write_text(PROGRAM)
    env = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "MUSTER_STATE_DIR": str(tmp_path / "s")}
    flags = ["--framework", "torch", "--set", "hangs.action=restart", "--set", "hangs.after=12s", "--set", "hangs.even_without_steps=true"]
    done = subprocess.run([muster_program, "run", "--standalone", "--name", "hangs", "-n", "3", *flags, "--", torch_python, str(script)], env=env,
                          capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert done.returncode == 1, done
    told = json.loads(subprocess.run([muster_program, "describe", "hangs", "-o", "json"], env=env, capture_output=True, text=True, check=True).stdout)
    assert "rank 2 has not entered all_reduce #2 of default_pg; rank 0, rank 1 wait in it" in json.dumps(told), done
    assert "flight recorder: waits in all_reduce #2 of default_pg, Float [4]" in json.dumps(told)
    assert "flight recorder: completed all_reduce #1 of default_pg" in json.dumps(told)


PLAIN = """
import os, select, torch, torch.distributed as dist
dist.init_process_group("gloo")
dist.all_reduce(torch.ones(4))
if dist.get_rank() == 1 and os.environ["MUSTER_ATTEMPT"] == "1":
    select.select([], [], [])
dist.all_reduce(torch.ones(4))
"""


def test_a_plain_script_whose_rank_never_enters_a_collective_restarts(tmp_path, torch_python, muster_program):
    script = tmp_path / "hangs.py"
    script.write_text(PLAIN)
    env = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "MUSTER_STATE_DIR": str(tmp_path / "s")}
    flags = ["--framework", "torch", "--restarts", "1", "--set", "hangs.action=restart", "--set", "hangs.after=12s"]
    done = subprocess.run([muster_program, "run", "--standalone", "--name", "hangs", "-n", "2", *flags, "--", torch_python, str(script)], env=env,
                          capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert done.returncode == 0, done
    told = json.loads(subprocess.run([muster_program, "describe", "hangs", "-o", "json"], env=env, capture_output=True, text=True, check=True).stdout)
    assert told["restarts"] == 1 and "rank 1 is in no collective; rank 0 waits in all_reduce" in told["attempts"][0]["cause"], told["attempts"]
