# SPDX-License-Identifier: Apache-2.0
"""The environment variables of ranks."""

import re

from leaks import runtime_folder

VARIABLES = r"^(MUSTER_|MASTER_|RANK|WORLD|LOCAL|GROUP|ROLE|TORCH|NCCL|OMP|PYTHONUNB)"
TORCH_RANK_1 = """\
GROUP_RANK=0
GROUP_WORLD_SIZE=1
LOCAL_RANK=1
LOCAL_WORLD_SIZE=2
MASTER_ADDR=(loopback)
MASTER_PORT=(port)
MUSTER_ADDRESS=127.0.0.1
MUSTER_ATTEMPT=1
MUSTER_GROUP=worker
MUSTER_INDEX=1
MUSTER_JOB_ID=(id)
MUSTER_JOB_NAME=golden
MUSTER_LOCAL_RANK=1
MUSTER_LOCAL_WORLD_SIZE=2
MUSTER_NODE=0
MUSTER_PROGRAM=(program)
MUSTER_RANK=1
MUSTER_RANK_ONLY=(names)
MUSTER_RESTARTS=0
MUSTER_SOCKET=(socket)
MUSTER_WORLD_SIZE=2
NCCL_RAS_ADDR=(the job's own)
OMP_NUM_THREADS=1
PYTHONUNBUFFERED=1
RANK=1
ROLE_NAME=worker
ROLE_RANK=1
ROLE_WORLD_SIZE=2
TORCHELASTIC_ERROR_FILE=(beside its output)
TORCHELASTIC_MAX_RESTARTS=0
TORCHELASTIC_RESTART_COUNT=0
TORCHELASTIC_RUN_ID=(id)
TORCHELASTIC_SIGNALS_TO_HANDLE=SIGTERM,SIGINT,SIGHUP,SIGQUIT
TORCHELASTIC_USE_AGENT_STORE=True
TORCH_NCCL_ASYNC_ERROR_HANDLING=1
WORLD_SIZE=2
"""


def told(muster, *flags):
    """The variables that muster sets for rank 1 of `golden`, with ports and ids replaced."""
    muster.ok("run", "-q", "--name", "golden", *flags, "--", "sh", "-c", f"env | grep -E '{VARIABLES}' | LC_ALL=C sort")
    text = muster.output_of("golden", rank=1).read_text()
    text = text.replace(str(muster.output_of("golden", rank=1).with_suffix(".error.json")), "(beside its output)")
    text = text.replace(muster.job("golden")["id"], "(id)")
    text = text.replace(f"MUSTER_PROGRAM={muster.binary}", "MUSTER_PROGRAM=(program)")
    text = re.sub(rf"(?m)^MUSTER_SOCKET={runtime_folder()}/agent-\d+-\d+\.sock$", "MUSTER_SOCKET=(socket)", text)
    text = re.sub(r"(?m)^MASTER_PORT=2[0-7]\d{3}$", "MASTER_PORT=(port)", text)
    text = re.sub(r"(?m)^MASTER_ADDR=(127\.0\.0\.1|localhost)$", "MASTER_ADDR=(loopback)", text)
    text = re.sub(rf"(?m)^TORCH_WORKER_SERVER_SOCKET={runtime_folder()}/agent-\d+-\d+-1-1\.torch$", "TORCH_WORKER_SERVER_SOCKET=(beside the agent's)", text)
    text = re.sub(r"(?m)^MUSTER_RANK_ONLY=([A-Z_]+=[0-9a-f]{8}(,|$))+", "MUSTER_RANK_ONLY=(names)", text)
    text = re.sub(r"(?m)^NCCL_RAS_ADDR=127(\.\d+){3}:28028$", "NCCL_RAS_ADDR=(the job's own)", text)
    return re.sub(r"(?m)^MUSTER_(STATE_DIR|IDLE)=.*\n", "", text).splitlines()


def test_the_environment_of_a_torch_rank(muster):
    assert told(muster, "-n", "2", "--framework", "torch") == TORCH_RANK_1.splitlines()


def test_where_a_torch_rank_is_asked_about_its_collectives(muster):
    lines = told(muster, "-n", "2", "--framework", "torch", "--set", "hangs.action=dump")
    path = str(muster.output_of("golden", rank=1).with_suffix(""))
    stem = path.replace(muster.job("golden")["id"], "(id)")
    assert [line for line in lines if line not in TORCH_RANK_1.splitlines()] == [
        f"TORCH_NCCL_DEBUG_INFO_PIPE_FILE={stem}.ask-", f"TORCH_NCCL_DEBUG_INFO_TEMP_FILE={stem}.flight-",
        f"TORCH_WORKER_SERVER_SOCKET={stem}.torch" if len(path) <= 101 else "TORCH_WORKER_SERVER_SOCKET=(beside the agent's)"]


def test_the_environment_of_a_plain_rank(muster):
    plain = [line for line in TORCH_RANK_1.splitlines() if line.startswith(("MUSTER_", "PYTHONUNBUFFERED"))]
    assert told(muster, "-n", "2", "--framework", "plain") == plain


def test_the_environment_of_a_rank_without_a_known_framework(muster):
    assert told(muster, "-n", "2") == [line for line in TORCH_RANK_1.splitlines() if not line.startswith("OMP_")]


def test_ranks_get_the_shells_environment_not_the_controllers(muster):
    muster.ok("run", "--", "true", env={"CITY": "Bonn"})
    script = ["sh", "-c", "echo $CITY-$PATH"]
    first = muster.ok("run", "--", *script, env={"CITY": "Köln", "PATH": "/usr/bin:/bin"})
    second = muster.ok("run", "--", *script, env={"PATH": "/bin:/usr/bin"})
    assert [first.lines(), second.lines()] == [["Köln-/usr/bin:/bin"], ["-/bin:/usr/bin"]]


def test_the_flag_e(muster):
    done = muster.ok("run", "-e", "A=1=2", "-e", "B", "-e", "C=", "--", "sh", "-c", "echo $A $B ${C-unset}.", env={"B": "shell", "C": "c"})
    assert done.lines() == ["1=2 shell ."]


def test_the_files_environment_wins_over_the_shell(muster):
    muster.job_file(command=["sh", "-c", "echo $A $B"], env={"A": "file", "B": "file"})
    assert muster.ok("run", "job.yaml", "-e", "B=flag", env={"A": "shell", "B": "shell"}).lines() == ["file flag"]


def test_python_is_not_buffered(muster):
    run = muster.start("run", "--", "python3", "-c", "import signal; print('early'); signal.pause()")
    run.says("early")
    muster.ok("kill", "@last")
    run.end()


def test_ranks_get_the_shells_limits(muster):
    for mask, files in ("0027", 300), ("0002", 400):
        done = muster.shell(f"umask {mask}; ulimit -Sn {files}; ulimit -Sc 0; {muster.binary} run -- sh -c 'umask; ulimit -n; ulimit -c'")
        assert done.lines() == [mask, str(files), "0"]


def test_every_rank_leads_a_session(muster):
    lines = muster.ok("run", "-n", "2", "--", "sh", "-c", "cut -d' ' -f6 /proc/$$/stat; echo $$").lines()
    sessions = [line.split()[-1] for line in lines]
    assert len(set(sessions)) == 2, lines


PEERS = """
import os, socket, time
here = int(os.environ["PORT"])
door = socket.create_server((os.environ["HOST"], here))
reserve = socket.create_server((os.environ["HOST"], int(os.environ["SECOND"])))
for peer in os.environ["PEERS"].split(","):
    host, port = peer.rsplit(":", 1)
    until = time.monotonic() + 30
    while socket.socket().connect_ex((host, int(port))) != 0:
        assert time.monotonic() < until, f"nobody listens at {peer}"
for _ in os.environ["PEERS"].split(","):
    door.accept()[0].close()
print(os.environ["PEERS"].count(",") + 1, "peers")
"""


def test_Ports_InTemplates_RanksOfTwoNodesReachEachOther(muster):
    muster.job_file(framework="custom", nodes=2, workers=2, command=["python3", "-c", PEERS],
                    custom={"HOST": "${address}", "PORT": "${port}", "SECOND": "${port_2}", "PEERS": "${peers}"})
    done = muster.ok("run", "job.yaml")
    assert sorted(done.lines()) == [f"[{rank}] 4 peers" for rank in range(4)]


def test_a_python_of_path_that_is_not_of_virtual_env_is_named(muster):
    own = muster.work / "venv" / "bin" / "python3"
    own.parent.mkdir(parents=True)
    own.symlink_to("/usr/bin/python3")
    active = {"VIRTUAL_ENV": str(own.parent.parent)}
    assert f"not under the Python of VIRTUAL_ENV ({own.parent.parent})" in muster.ok("run", "--", "python3", "-c", "", env=active).err
    assert "VIRTUAL_ENV" not in muster.ok("run", "--", own, "-c", "", env=active).err
    assert "VIRTUAL_ENV" not in muster.ok("run", "--", "python3", "-c", "").err
