# SPDX-License-Identifier: Apache-2.0
"""What muster leaves in a home: one private state folder and a socket outside of it; in the end no process."""

import contextlib
import os
import pathlib
import socket
import stat
import struct

from living import living_after
from programs import WORK

IDLE = 60  # seconds within which a controller with MUSTER_IDLE=1s must end


def below(folder):
    return [path for path in pathlib.Path(folder).rglob("*")]


def mode(path):
    return stat.S_IMODE(path.lstat().st_mode)


def test_nothing_lands_in_the_home_itself(user, ranks):
    user.write("train.py", WORK)
    user.environment["SECRET"] = "hunter2"
    assert user.piped("muster", "run", "-d", "-n", "2", "--", "python3", "train.py").returncode == 0
    ranks.all_told(2)
    assert sorted(path.name for path in user.home.iterdir()) == [".local", "project"]
    assert [str(path.relative_to(user.home)) for path in (user.home / ".local/state").iterdir()] == [".local/state/muster"]
    assert len(list((user.home / ".local/state/muster").iterdir())) == 1
    assert [path.name for path in user.project.iterdir()] == ["train.py"]
    ranks.let_go(2)
    assert user.piped("muster", "wait", "@last").returncode == 0


def test_state_is_private(user, ranks):
    old = os.umask(0o002)
    try:
        user.write("train.py", WORK)
        user.environment["SECRET"] = "hunter2"
        assert user.piped("muster", "run", "-d", "-n", "2", "--", "python3", "train.py").returncode == 0
        ranks.all_told(2)
    finally:
        os.umask(old)
    assert mode(user.state_folder()) == 0o700
    sockets, open_folders, with_secret = looked_into(user.state_folder())
    assert sockets == open_folders == []
    assert list(with_secret.values()) == [0o600], with_secret
    ranks.let_go(2)
    assert user.piped("muster", "wait", "@last").returncode == 0


def looked_into(state, times=100):
    """Finds sockets, folders that others may enter, and the modes of files with the secret; repeats if a file was removed meanwhile."""
    for _ in range(times):
        with contextlib.suppress(FileNotFoundError):
            paths = below(state)
            return ([str(path) for path in paths if path.is_socket()],
                    [str(path) for path in paths if path.is_dir() and mode(path) & 0o077],
                    {str(path): mode(path) for path in paths if path.is_file() and b"hunter2" in path.read_bytes()})
    raise AssertionError(f"{state} is never at rest")


def test_sockets_lie_in_the_runtime_folder(user, ranks):
    user.write("train.py", WORK)
    assert user.piped("muster", "run", "-d", "--", "python3", "train.py").returncode == 0
    ranks.all_told(1)
    runtime = pathlib.Path(f"/tmp/muster-{os.geteuid()}")
    socket = next(word for one in user.others() for word in one.command if word.endswith(".sock"))
    assert pathlib.Path(socket).parent == runtime
    assert mode(runtime) == 0o700
    assert mode(pathlib.Path(socket)) == 0o600
    ranks.let_go()
    assert user.piped("muster", "wait", "@last").returncode == 0


def test_the_idle_controller_leaves(user, ranks):
    user.environment["MUSTER_IDLE"] = "1s"
    user.write("train.py", WORK)
    assert user.piped("muster", "submit", "--", "python3", "train.py").returncode == 0
    ranks.all_told(1)
    one = user.controller()
    place = next(path for path in pathlib.Path(f"/tmp/muster-{os.geteuid()}").iterdir() if path.is_socket() and listens(path, one))
    ranks.let_go()
    assert living_after([one], IDLE) == []
    assert not place.exists()
    assert user.piped("muster", "ps", "-a").stdout.count("train-") == 1  # the old state is still known


def listens(path, process):
    """True if `process` listens on the socket `path`, as the kernel tells who connects."""
    with socket.socket(socket.AF_UNIX) as caller, contextlib.suppress(OSError):  # nobody listens there
        caller.connect(str(path))
        return struct.unpack("3i", caller.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0] == process.pid
    return False
