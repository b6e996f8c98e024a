# SPDX-License-Identifier: Apache-2.0
"""torch's own file timer client with the real agent: what ranks see, and the improvements over torchrun."""

import subprocess

SCRIPT = """
import os, signal, sys
import torch.distributed.elastic.timer as timer
path = os.environ["TORCHELASTIC_TIMER_FILE"]
client = timer.FileTimerClient(path)
timer.configure(client)
with timer.expires(after=3600):
    pass
with timer.expires(after=3600, scope="step"):
    client.release("unknown")
print("released", flush=True)
if sys.argv[1:] == ["hang"] and os.environ["TORCHELASTIC_RESTART_COUNT"] == "0":
    with timer.expires(after=0.2, scope="epoch 3"):
        signal.pause()
print("restarts", os.environ["TORCHELASTIC_RESTART_COUNT"], flush=True)
"""


def launch(launcher, folder, python, *words):
    env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(folder), "TORCHELASTIC_ENABLE_FILE_TIMER": "1", "PYTHON_EXEC": python,
           "MUSTER_STATE_DIR": str(folder / "state")}
    (folder / "timed.py").write_text(SCRIPT)
    return subprocess.run([*launcher, "--max-restarts", "1", "timed.py", *words], env=env, cwd=folder, capture_output=True, text=True, timeout=120, check=False)


def test_timers_that_are_released_are_the_same(tmp_path, torch_python, muster_program):
    real = launch([torch_python, "-m", "torch.distributed.run"], tmp_path, torch_python)
    ours = launch([muster_program, "torchrun"], tmp_path, torch_python)
    assert (ours.returncode, ours.stdout) == (real.returncode, real.stdout) == (0, "released\nrestarts 0\n"), ours


def test_one_that_expires_ends_the_real_launcher_and_costs_ours_a_restart(tmp_path, torch_python, muster_program):
    assert launch([torch_python, "-m", "torch.distributed.run"], tmp_path, torch_python, "hang").returncode == -9
    ours = launch([muster_program, "torchrun"], tmp_path, torch_python, "hang")
    assert (ours.returncode, ours.stdout) == (0, "released\nreleased\nrestarts 1\n"), ours
    assert "rank 0 was killed by SIGKILL: its timer `epoch 3` expired" in ours.stderr
