# SPDX-License-Identifier: Apache-2.0
"""`muster torchrun` parses a command line like torchrun: the same Namespace, or an error if torchrun has one."""

import json
import os
import random
import subprocess

import pytest

REAL = r"""
import contextlib, io, json, os, sys
from torch.distributed.run import get_args_parser
bare = {name: value for name, value in os.environ.items() if not name.startswith("PET_")}
for line in sys.stdin:
    case = json.loads(line)
    os.environ.clear()
    os.environ.update(bare | case["env"])
    words = io.StringIO()
    try:
        with contextlib.redirect_stderr(words), contextlib.redirect_stdout(words):
            answer = {"flags": vars(get_args_parser().parse_args(case["argv"]))}
    except SystemExit as error:
        answer = {"exit": error.code, "error": words.getvalue()[-300:]}
    except ValueError as error:
        answer = {"exit": 1, "error": str(error)}
    print(json.dumps(answer))
"""

VALUES = {
    "nnodes": ["1", "2", "1:4", "x", ""], "nproc-per-node": ["1", "4", "auto", "gpu", " 2"], "rdzv-backend": ["c10d", "etcd-v2", "static"],
    "rdzv-endpoint": ["host:29400", "[::1]:1", "", "localhost"], "rdzv-id": ["a b", "job-1", "-5"], "rdzv-conf": ["a=1,b=2", "timeout=5"],
    "max-restarts": ["0", "3", "-1", "x", "1_0", "+7", " 5 ", "", "1__0", "0x3", "3.0", "-"], "monitor-interval": ["5", ".1", "1e-3", "x", "-2.5", "1_0.5", "1e", "+3"],
    "start-method": ["spawn", "fork", "forkserver", "threads", ""], "event-log-handler": ["null", "console"], "role": ["trainer", "x y"],
    "log-dir": ["/tmp/l", "l", ""], "redirects": ["0", "3", "0:3,1:1", "9"], "tee": ["2", "1:2"], "log-line-prefix-template": ["[${rank}] ", "$x=1"],
    "local-ranks-filter": ["0,1", "x"], "duplicate-stdout-filters": ["a,b", "a,,b", ",,,", "", "x"], "duplicate-stderr-filters": ["e", "a,,,b"],
    "node-rank": ["0", "2", "one"], "master-addr": ["10.0.0.1", "::1"], "master-port": ["29500", "p", "99999"], "local-addr": ["me"],
    "logs-specs": ["mine", "default"], "numa-binding": ["node", "socket", "exclusive", "core-complex", "all"], "signals-to-handle": ["SIGTERM", "SIGUSR1,SIGUSR2"],
    "shutdown-timeout": ["5", "x", "-3"],
}
SWITCHES = ["standalone", "module", "no-python", "run-path", "virtual-local-rank"]
SCRIPTS = [["train.py"], ["train.py", "--lr", "1"], ["train.py", "--", "-x"], ["--", "train.py", "--nnodes", "7"], ["train.py", "-r3", "--", "--tee"],
           ["-1"], ["a script"], ["-"], [""], ["train.py", "--nnodes=3", "more"], ["pkg.mod", "--", "--", "x"], ["-.5", "y"]]
STRANGE = [["--unknown"], ["--nprocs", "3"], ["-x"], ["--rdzv"], ["--n", "1"], ["-r"], ["--standalone=1"], ["-m1"], ["-mr3"], ["-rm"], ["-mt", "2"], ["--=x"],
           ["--nnodes"], ["--role", "--tee"], ["-m="], ["-r="], ["-tr3"], ["--module="], ["-mx"], ["--t"], ["--te=1"], ["--start", "fork"], ["--no"], ["-5"], ["-a b"]]
ENVIRONMENT = {"PET_NNODES": ["2:3", ""], "PET_STANDALONE": ["0", "1", "x", "", "00", "-1", " 1 "], "PET_MAX_RESTARTS": ["4", "x", ""], "PET_MODULE": ["1", "0"],
               "PET_START_METHOD": ["odd"], "PET_REDIRECTS": ["3"], "PET_TEE": ["1"], "PET_LOGS_SPECS": ["not read"], "PET_NUMA_BINDING": ["not read"],
               "PET_DUPLICATE_STDOUT_FILTERS": ["a,,b,c", ""], "PET_MASTER_PORT": ["1", "p"], "PET_MONITOR_INTERVAL": ["2.5", "no"], "PET_LOG_DIR": ["d", ""],
               "PET_R": ["3"], "PET_RUN_PATH": ["1"], "PET_SHUTDOWN_TIMEOUT": ["9"], "PET_NPROC_PER_NODE": ["2"], "PET_VIRTUAL_LOCAL_RANK": ["2"]}
LETTERS = {"redirects": "-r", "tee": "-t", "module": "-m"}


def spelled(name, dice):
    """A spelling of a flag: with `_`, its letter, or a prefix of it."""
    way = dice.random()
    if name in LETTERS and way < 0.4:
        return LETTERS[name]
    if way < 0.6:
        return "--" + name
    text = "--" + (name.replace("-", "_") if way < 0.8 else name)
    return text if way < 0.9 else text[:dice.randint(3, len(text))]


def flag(dice):
    if dice.random() < 0.25:
        return [spelled(dice.choice(SWITCHES), dice)]
    if dice.random() < 0.08:
        return dice.choice(STRANGE)
    name = dice.choice(list(VALUES))
    value, word = dice.choice(VALUES[name]), spelled(name, dice)
    if dice.random() < 0.5:
        return [word, value]
    return [word + ("=" if word.startswith("--") or dice.random() < 0.5 else "") + value]


def generated(count):
    dice = random.Random(15)
    for _ in range(count):
        argv = [word for _ in range(dice.randint(0, 4)) for word in flag(dice)]
        argv += dice.choice(SCRIPTS) if dice.random() < 0.95 else []
        env = {name: dice.choice(values) for name, values in ENVIRONMENT.items() if dice.random() < 0.05}
        yield {"argv": argv, "env": env}


def by_hand():
    for strange in STRANGE:
        yield {"argv": [*strange, "train.py"], "env": {}}
        yield {"argv": strange, "env": {}}
    for script in SCRIPTS:
        yield {"argv": script, "env": {}}
    for name, values in ENVIRONMENT.items():
        for value in values:
            yield {"argv": ["train.py"], "env": {name: value}}
            yield {"argv": ["-m", "--max-restarts", "1", "train.py"], "env": {name: value}}
    for name, values in VALUES.items():
        for value in values:
            yield {"argv": [f"--{name}", value, "train.py"], "env": {}}


def answers_of_torchrun(cases, python):
    done = subprocess.run([python, "-c", REAL], input="".join(json.dumps(case) + "\n" for case in cases), capture_output=True, text=True,
                          check=True, timeout=300)
    return [json.loads(line) for line in done.stdout.splitlines()]


def answer_of_muster(case, program):
    env = {name: value for name, value in os.environ.items() if not name.startswith("PET_")} | case["env"]
    done = subprocess.run([program, "render", "-o", "json", "torchrun", *case["argv"]], env=env, capture_output=True, text=True, check=False, timeout=60)
    if done.stdout.startswith("{"):
        return {"flags": json.loads(done.stdout)["flags"]}
    return {"exit": done.returncode, "error": done.stderr}


def may_differ(case, real, ours):
    """Cases in which muster is more lenient than argparse of some Python (docs/reference/torchrun-differences.md)."""
    if "flags" in real or "flags" not in ours or "ambiguous option" not in real["error"]:
        return False
    word = real["error"].split("ambiguous option: ")[1].split(" could match")[0]
    matches = {name.strip().replace("_", "-") for name in real["error"].split("could match ")[1].split(",")}
    before_script = case["argv"][:len(case["argv"]) - len(ours["flags"]["training_script_args"])]
    return len(matches) == 1 or word not in before_script


@pytest.fixture(scope="module")
def cases():
    return [*by_hand(), *generated(600)]


def test_the_same_namespace(cases, torch_python, muster_program):
    wrong = []
    for case, real in zip(cases, answers_of_torchrun(cases, torch_python), strict=True):
        ours = answer_of_muster(case, muster_program)
        # For a variable that is not a number torchrun prints a traceback and muster a message; other errors have argparse's code.
        right = real["flags"] == ours.get("flags") if "flags" in real else "exit" in ours and (real["exit"] == 1 or ours["exit"] == real["exit"])
        if not right and not may_differ(case, real, ours):
            wrong.append((case, real, ours))
    assert not wrong, f"{len(wrong)} of {len(cases)}: " + "\n".join(map(str, wrong[:8]))


def test_every_flag_of_the_parser_is_known(torch_python, muster_program):
    script = "import json\nfrom torch.distributed.run import get_args_parser\nprint(json.dumps([a.option_strings for a in get_args_parser()._actions]))"
    actions = json.loads(subprocess.run([torch_python, "-c", script], capture_output=True, text=True, check=True, timeout=120).stdout)
    text = subprocess.run([muster_program, "torchrun", "--help"], capture_output=True, text=True, check=True, timeout=60).stdout
    for names in filter(None, actions):
        long = next(name for name in names if name.startswith("--"))
        assert f"{long} " in text + " " or f"{long}\n" in text, names
