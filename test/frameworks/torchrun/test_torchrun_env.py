# SPDX-License-Identifier: Apache-2.0
"""The ranks' environment variables: the same script under the real torchrun and under `muster torchrun`, compared value by value.

Variables that differ on purpose are listed in docs/reference/torchrun.md with the reason, and only there.
"""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[3]
DUMP = "import json, os, sys\njson.dump([sys.argv, dict(os.environ)], open(os.path.join(sys.argv[1], os.environ['RANK']), 'w'))\n"

LINES = {
    "default": [],
    "one rank": ["--nproc-per-node", "1"],
    "standalone": ["--standalone", "--rdzv-id", "ignored"],
    "c10d": ["--rdzv-backend", "c10d", "--rdzv-endpoint", "localhost:0", "--rdzv-id", "mine", "--role", "trainer", "--max-restarts", "3"],
    "static": ["--master-port", "0", "--rdzv-id", "typed"],
    "signals": ["--signals-to-handle", "SIGTERM,SIGUSR1", "--shutdown-timeout", "5"],
    "virtual": ["--virtual-local-rank"],
    "no files": ["--log-dir", "/dev/null"],
}
SHELLS = {
    "tuned": {"OMP_NUM_THREADS": "3", "TORCH_NCCL_ASYNC_ERROR_HANDLING": "0", "TORCHELASTIC_ERROR_FILE": "/tmp/above.json", "RANK": "77"},
    "devices": {"CUDA_VISIBLE_DEVICES": "2,3"},
    "variables": {"PET_ROLE": "actor", "PET_MAX_RESTARTS": "2"},
}


def told_on_purpose():
    """Names in the table of docs/reference/torchrun.md; a `*` matches any ending."""
    page = (PROJECT / "docs" / "reference" / "torchrun.md").read_text()
    table = page.split("The environment of ranks", 1)[1].split("\n\n")[1]
    return [re.escape(name).replace(r"\*", ".*") for row in table.splitlines()[2:] for name in re.findall(r"`([A-Z_*]+)`", row.split("|")[1])]


def environments(launcher, folder, line, shell):
    """Arguments and environment of each rank."""
    script, out = folder / "dump.py", folder / launcher[-1].rpartition("/")[2]
    out.mkdir()
    script.write_text(DUMP)
    flags = ["--nproc-per-node", "2", *line]
    env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(folder), **shell}
    subprocess.run([*launcher, *flags, str(script), str(out), "${local_rank}", "a$$b"], env=env, cwd=folder, check=True, capture_output=True, timeout=120)
    return [json.loads((out / name).read_text()) for name in sorted(os.listdir(out))]


def kind_of(value):
    """The kind of a value that may differ between runs."""
    return "a new id" if value and re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", value) else value


def differences(real, ours):
    names = sorted(real.keys() | ours.keys())
    return {name: (real.get(name), ours.get(name)) for name in names if kind_of(real.get(name)) != kind_of(ours.get(name))}


CASES = {name: (line, {}) for name, line in LINES.items()} | {name: ([], shell) for name, shell in SHELLS.items()}


@pytest.mark.parametrize("line, shell", CASES.values(), ids=CASES.keys())
def test_ranks_are_told_the_same(tmp_path, torch_python, muster_program, line, shell):
    shell = shell | {"PYTHON_EXEC": torch_python, "MUSTER_STATE_DIR": str(tmp_path / "state")}
    real = environments([torch_python, "-m", "torch.distributed.run"], tmp_path, line, shell)
    ours = environments([muster_program, "torchrun"], tmp_path, line, shell)
    assert [words[2:] for words, _ in ours] == [words[2:] for words, _ in real]
    on_purpose = [name for name in told_on_purpose() if name != "CUDA_VISIBLE_DEVICES" or "--virtual-local-rank" in line]
    for (_, one), (_, other) in zip(real, ours, strict=True):
        found = differences(one, other)
        assert not {name: both for name, both in found.items() if not any(re.fullmatch(pattern, name) for pattern in on_purpose)}


def test_the_store_is_there(tmp_path, torch_python, muster_program):
    script = tmp_path / "meet.py"
    script.write_text("import torch, torch.distributed as dist\ndist.init_process_group('gloo')\nt = torch.ones(1) * dist.get_rank()\ndist.all_reduce(t)\n"
                      "print('sum', t.item())\ndist.destroy_process_group()\n")
    env = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "PYTHON_EXEC": torch_python, "MUSTER_STATE_DIR": str(tmp_path / "state")}
    done = subprocess.run([muster_program, "torchrun", "--nproc-per-node", "3", str(script)], env=env, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stdout) == (0, "sum 3.0\n" * 3), done
