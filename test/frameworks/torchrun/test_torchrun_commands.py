# SPDX-License-Identifier: Apache-2.0
"""Whole command lines under the real torchrun and under muster: the same exit code, the same lines, the same log files.

A case that differs names the row of docs/reference/torchrun-differences.md (or of torchrun.md) that says so.
"""

import json
import socket
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[3]
PAGES = [PROJECT / "docs" / "reference" / name for name in ("torchrun-differences.md", "torchrun.md")]

NAMES = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "GROUP_RANK", "GROUP_WORLD_SIZE", "ROLE_NAME", "ROLE_RANK", "ROLE_WORLD_SIZE",
         "TORCHELASTIC_RESTART_COUNT", "TORCHELASTIC_MAX_RESTARTS", "OMP_NUM_THREADS", "CUDA_VISIBLE_DEVICES", "TORCHELASTIC_SIGNALS_TO_HANDLE")
# One write for each line: lines of several ranks are mixed under torchrun (docs/reference/torchrun-differences.md).
SAY = "import json, os, sys\ndef say(*words, to=sys.stdout):\n    to.write(' '.join(map(str, words)) + '\\n')\n"
TELL = SAY + f"say(json.dumps([sys.argv[1:], {{name: os.environ.get(name) for name in {NAMES}}}]))\n"
FILES = {
    "tell.py": TELL,
    "sub/tell.py": TELL + "say(os.path.relpath(sys.path[0]), __name__)\n",
    "package/__init__.py": "",
    "package/tell.py": TELL,
    "tool.sh": "#!/bin/sh\necho \"$RANK of $WORLD_SIZE: $*\"\n",
    "exits.py": SAY + "say('rank', os.environ['RANK'])\nsys.exit(3)\n",
    "raises.py": "raise ValueError('no luck')\n",
    "says.py": "import sys\nsys.exit('said')\n",
    "killed.py": "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n",
    "once.py": SAY + "count = os.environ['TORCHELASTIC_RESTART_COUNT']\nsay('restart', count)\nsys.exit(1 if count == '0' else 0)\n",
    "both.py": SAY + "say('out of', os.environ['RANK'])\nsay('err of', os.environ['RANK'], to=sys.stderr)\n",
    "recorded.py": "from torch.distributed.elastic.multiprocessing.errors import record\n@record\ndef main():\n    raise ValueError('recorded')\nmain()\n",
    "sums.py": SAY + "import torch, torch.distributed as dist\ndist.init_process_group('gloo')\nt = torch.ones(1) * dist.get_rank()\ndist.all_reduce(t)\n"
               "say('sum', t.item())\ndist.destroy_process_group()\n",
    "unnamed.py": SAY + "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--local-rank', type=int)\nparser.add_argument('--lr')\n"
                  "say(parser.parse_args(), os.environ['LOCAL_RANK'])\n",
}
TWO = ["--nproc-per-node", "2"]


@dataclass
class Case:
    words: list
    env: dict = field(default_factory=dict)
    stdin: str = ""
    module: str = "run"  # of torch.distributed
    typed: bool = False  # muster gets `python -m torch.distributed.…`, not `torchrun`
    differs: str = ""    # in the row that says why


CASES = {
    "one rank": Case(["tell.py"]),
    "two ranks": Case([*TWO, "tell.py", "--lr", "1"]),
    "underscores": Case(["--nproc_per_node=2", "--max_restarts=1", "tell.py"]),
    "standalone": Case(["--standalone", *TWO, "tell.py"]),
    "a module": Case([*TWO, "-m", "package.tell", "a", "b c"]),
    "a program": Case([*TWO, "--no-python", "./tool.sh", "a", "b c"]),
    "run path": Case([*TWO, "--run-path", "tell.py", "a"]),
    "a script in a folder": Case(["sub/tell.py"]),
    "dashes before the script": Case(["--", "tell.py", "--nproc-per-node", "7"]),
    "dashes after the script": Case([*TWO, "tell.py", "--", "-x"]),
    "the local rank as a macro": Case([*TWO, "tell.py", "gpu${local_rank}", "$local_rank", "a$$b", "$other"]),
    "a role": Case([*TWO, "--role", "trainer", "tell.py"]),
    "restarts": Case(["--max-restarts", "2", "once.py"]),
    "restarts that are used up": Case(["--max-restarts", "1", "raises.py"]),
    "an exit code": Case(["exits.py"]),
    "an exception": Case([*TWO, "raises.py"]),
    "a message as exit code": Case(["says.py"]),
    "a signal": Case(["killed.py"]),
    "a recorded exception": Case(["recorded.py"]),
    "variables for flags": Case(["tell.py"], env={"PET_NPROC_PER_NODE": "2", "PET_MAX_RESTARTS": "3", "PET_ROLE": "actor"}),
    "a flag over its variable": Case(["--role", "typed", "tell.py"], env={"PET_ROLE": "actor"}),
    "threads that were chosen": Case([*TWO, "tell.py"], env={"OMP_NUM_THREADS": "3"}),
    "devices that were chosen": Case([*TWO, "tell.py"], env={"CUDA_VISIBLE_DEVICES": "2,3"}),
    "ranks from outside": Case(["tell.py"], env={"RANK": "5", "WORLD_SIZE": "9", "LOCAL_RANK": "5"}),
    "redirects": Case([*TWO, "--log-dir", "logs", "--redirects", "3", "both.py"]),
    "redirects of one rank": Case([*TWO, "--log-dir", "logs", "-r", "0:1,1:2", "both.py"]),
    "tee": Case([*TWO, "--log-dir", "logs", "--tee", "3", "both.py"]),
    "tee with a prefix": Case([*TWO, "--log-dir", "logs", "-t", "1", "--log-line-prefix-template", "<${role_name} ${rank}> ", "both.py"]),
    "one rank shown": Case([*TWO, "--local-ranks-filter", "1", "both.py"]),
    "c10d": Case([*TWO, "--rdzv-backend", "c10d", "--rdzv-endpoint", "localhost:0", "--rdzv-id", "mine", "tell.py"]),
    "rendezvous settings": Case(["--rdzv-conf", "timeout=30,join_timeout=60", "--nnodes", "1:1", "tell.py"]),
    "static": Case([*TWO, "--nnodes", "1", "--node-rank", "0", "--master-addr", "127.0.0.1", "--master-port", "0", "tell.py"]),
    "flags without effect": Case(["--monitor-interval", "1", "--start-method", "fork", "--event-log-handler", "null", "tell.py"]),
    "signals": Case(["--signals-to-handle", "SIGTERM,SIGUSR1", "--shutdown-timeout", "3", "tell.py"]),
    "collectives": Case([*TWO, "sums.py"]),
    "a program on standard input": Case(["-", "a"], stdin=TELL),
    "standard input by its path": Case(["/dev/stdin", "a"], stdin=TELL),
    "virtual local ranks": Case([*TWO, "--virtual-local-rank", "tell.py"]),
    "virtual local ranks of chosen devices": Case([*TWO, "--virtual-local-rank", "tell.py"], env={"CUDA_VISIBLE_DEVICES": "4, 5"}),
    "the module run": Case([*TWO, "tell.py", "a"], typed=True),
    "the module launch": Case([*TWO, "unnamed.py", "--lr", "1"], module="launch", typed=True),
    "the module launch with the environment": Case(["--nproc_per_node=2", "--use_env", "unnamed.py", "--lr", "1"], module="launch", typed=True),
    "a module of the module launch": Case([*TWO, "--use-env", "-m", "package.tell"], module="launch", typed=True),
    "an unknown flag": Case(["--nprocs", "2", "tell.py"]),
    "no script": Case([*TWO]),
    "help": Case(["--help"]),
    "a program on standard input of two ranks": Case([*TWO, "-", "a"], stdin=TELL, differs="one rank runs a program from standard input"),
    "a wrong value": Case(["--nnodes", "x", "tell.py"], differs="wrong flag values end with a traceback"),
    "a wrong number of ranks": Case(["--nproc-per-node", "many", "tell.py"], differs="wrong flag values end with a traceback"),
    "too few devices": Case([*TWO, "--virtual-local-rank", "tell.py"], env={"CUDA_VISIBLE_DEVICES": "4"},
                            differs="wrong flag values end with a traceback"),
    "launch of a program": Case(["--no-python", "./tool.sh"], module="launch", typed=True, differs="wrong flag values end with a traceback"),
}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def log_files(folder):
    """The files of --log-dir without the folder of the run, whose name is random."""
    found = {}
    for path in sorted(folder.rglob("*.log")) if folder.exists() else []:
        found["/".join(path.relative_to(folder).parts[1:])] = path.read_text()
    return {name: text for name, text in found.items() if text}


def lines_of(text):
    """The lines that ranks printed: each rank's in their order does not show in the output of several ranks."""
    return sorted(text.splitlines())


def result_of(launcher, case, folder, shell):
    folder.mkdir()
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
    env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(folder)} | shell | case.env
    done = subprocess.run([*launcher, *case.words], cwd=folder, env=env, input=case.stdin, capture_output=True, text=True, check=False, timeout=300)
    shown = [] if "--help" in case.words else lines_of(done.stdout)
    errors = [line for line in done.stderr.splitlines() if line.startswith(("err of", "[default", "<"))]
    return {"code": done.returncode, "stdout": shown, "stderr of ranks": sorted(errors), "files": log_files(folder / "logs")}, done


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_a_command_does_what_it_does_under_torchrun(tmp_path, torch_python, muster_program, case):
    module = [torch_python, "-m", f"torch.distributed.{case.module}"]
    real, told = result_of(module, case, tmp_path / "real", {})
    ours_by = [muster_program, *module] if case.typed else [muster_program, "torchrun"]
    shell = {"MUSTER_STATE_DIR": str(tmp_path / "state")} | ({} if case.typed else {"PYTHON_EXEC": torch_python})
    ours, done = result_of(ours_by, case, tmp_path / "ours", shell)
    if case.differs:
        assert ours != real, "remove the note of a difference"
        assert any(case.differs in page.read_text() for page in PAGES), f"no page says `{case.differs}`"
        return
    assert ours == real, f"{json.dumps(case.words)}\ntorchrun: {told.stderr[-2000:]}\nmuster: {done.stderr[-2000:]}"


def test_roles_of_hosts_are_counted_by_themselves(tmp_path, torch_python, muster_program):
    """Two launchers that meet, each with a role of its own, as on two hosts."""
    (tmp_path / "tell.py").write_text(TELL)

    def told(launcher, port, shell):
        env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(tmp_path), "MUSTER_STATE_DIR": str(tmp_path / "state")} | shell
        commands = []
        for node, role in enumerate(("actor", "learner")):
            words = ["--nnodes", "2", "--nproc-per-node", str(1 + node), "--node-rank", str(node), "--master-addr", "127.0.0.1",
                     "--master-port", str(port), "--role", role, "tell.py"]
            commands.append(subprocess.Popen([*launcher, *words], cwd=tmp_path, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
        both = [command.communicate(timeout=300) for command in commands]
        assert [command.returncode for command in commands] == [0, 0], both
        rows = [json.loads(line)[1] for out, _ in both for line in out.splitlines()]
        return sorted((row["RANK"], row["ROLE_NAME"], row["ROLE_RANK"], row["ROLE_WORLD_SIZE"]) for row in rows)

    real = told([torch_python, "-m", "torch.distributed.run"], free_port(), {})
    ours = told([muster_program, "torchrun"], free_port(), {"PYTHON_EXEC": torch_python})
    assert ours == real == [("0", "actor", "0", "1"), ("1", "learner", "0", "2"), ("2", "learner", "1", "2")]
