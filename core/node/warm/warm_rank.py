# SPDX-License-Identifier: Apache-2.0
"""The rank's side of a warm parent, and its messages with the agent. First part of one text with warm_hook.py, which describes the
whole.
"""
import sys

_before = set(sys.modules)
import atexit  # noqa: E402
import builtins  # noqa: E402
import ctypes  # noqa: E402
import gc  # noqa: E402
import io  # noqa: E402
import os  # noqa: E402

import _frozen_importlib  # noqa: E402
import _signal  # noqa: E402
import _socket  # noqa: E402
import _thread  # noqa: E402

_libc = ctypes.CDLL(None)


class _Link:
    def __init__(self, path):
        self.socket = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM | _socket.SOCK_CLOEXEC)
        self.socket.connect(path)
        self.bytes, self.descriptors = b"", []

    def send(self, *fields):
        body = b"".join(os.fsencode(str(field)) + b"\0" for field in fields)
        self.socket.sendall(len(body).to_bytes(4, "little") + body)

    def _receive(self, size):
        space = _socket.CMSG_SPACE(4)
        while len(self.bytes) < size:
            data, extra, _, _ = self.socket.recvmsg(1 << 16, space, _socket.MSG_CMSG_CLOEXEC)
            if not data:
                os._exit(0)
            self.bytes += data
            for level, kind, passed in extra:
                if level == _socket.SOL_SOCKET and kind == _socket.SCM_RIGHTS:
                    self.descriptors.append(int.from_bytes(passed[:4], sys.byteorder))
        taken, self.bytes = self.bytes[:size], self.bytes[size:]
        return taken

    def receive(self):
        """The next order: its fields, and the descriptor that came with it or None."""
        fields = self._receive(int.from_bytes(self._receive(4), "little")).split(b"\0")[:-1]
        return fields, self.descriptors.pop() if self.descriptors else None


class _Fields:
    """Reads the fields of an order one after the other."""

    def __init__(self, fields):
        self.fields = iter(fields)

    def bytes(self):
        return next(self.fields)

    def text(self):
        return os.fsdecode(next(self.fields))

    def number(self):
        field = next(self.fields)
        return int(field) if field else None

    def list(self, read):
        return [read() for _ in range(self.number())]


def _is_installed(path):
    return "/site-packages/" in path or "/dist-packages/" in path


def _is_of_python(path):
    """Whether the path belongs to the standard library or to a package."""
    return _is_installed(path) or path.startswith(os.path.dirname(os.__file__) + "/") or path.endswith(".zip")


def _places(spec):
    return [spec.origin] if spec.origin and spec.has_location else list(spec.submodule_search_locations or [])


def _installed(spec):
    """Whether a module came with a package rather than with the user's own files."""
    return bool(_places(spec)) and all(map(_is_installed, _places(spec)))


def _is_shared(spec):
    """Whether the module belongs to a package or to the standard library."""
    return all(map(_is_of_python, _places(spec)))


def _put_first(path0):
    """Puts path0 first on sys.path, as the interpreter will do for the program."""
    if not getattr(sys.flags, "safe_path", False):
        sys.path.insert(0, path0)


def _stamp(path):
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _set_death_signal(agent):
    """Waits until the agent has adopted this process (the process between has ended), then sets SIGKILL for the agent's death."""
    while os.getppid() != agent:
        os.sched_yield()
    _libc.prctl(1, 9)  # PR_SET_PDEATHSIG, SIGKILL
    if os.getppid() != agent:
        os._exit(127)


def _reopen(path, flags, number):
    descriptor = os.open(path or os.devnull, flags | os.O_NOCTTY | os.O_CLOEXEC, 0o600)
    os.dup2(descriptor, number)
    os.close(descriptor)


def _redirect(out, err):
    _reopen(b"", os.O_RDONLY, 0)
    _reopen(out, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 1)
    _reopen(err, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 2)


def _pass_gate(socket):
    """Waits for the agent's permission, and takes the descriptors that come with it: "g" and the number of each of them. They are a
    terminal, or the stdin of the command."""
    text, extra, _, _ = socket.recvmsg(4, _socket.CMSG_SPACE(3 * 4), _socket.MSG_CMSG_CLOEXEC)
    if not text:
        os._exit(127)
    passed = b"".join(data for level, kind, data in extra if level == _socket.SOL_SOCKET and kind == _socket.SCM_RIGHTS)
    for at, number in enumerate(text[1:]):
        descriptor = int.from_bytes(passed[4 * at:4 * at + 4], sys.byteorder)
        os.dup2(descriptor, number - ord("0"))
        os.close(descriptor)
    if b"1" in text and hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(line_buffering=True)


def _become(order, parent, socket):
    """Turns this process into the rank that `order` describes. Returns the path of the file for its imports. Limits, umask and
    priority are inherited from the parent, which was started with them."""
    agent, learn = order.number(), order.text()
    out, err, workdir = order.bytes(), order.bytes(), order.bytes()
    cpus = order.list(order.number)
    arguments, count, variables = order.list(order.text), order.number(), order.list(order.bytes)
    os.setsid()
    if cpus:
        os.sched_setaffinity(0, cpus)
    _redirect(out, err)
    os.chdir(workdir)
    wanted = dict(variable.split(b"=", 1) for variable in variables)
    _take_environment(wanted, parent.given)
    parent.area.show(wanted)
    _set_arguments(arguments, count)
    _seed(parent.unseeded)
    for number, text in enumerate(parent.printed, 1):
        while text:
            text = text[os.write(number, text):]
    _set_death_signal(agent)
    socket.send(b"ready %d" % os.getpid())
    return learn


def _take_environment(wanted, given):
    """Sets the rank's variables. Variables that the interpreter and the imports have set themselves keep their values."""
    now = dict(os.environb)
    theirs = {name: value for name, value in now.items() if given.get(name) != value}
    os.environb.clear()
    for name, value in wanted.items():
        os.environb[name] = theirs.pop(name, value) if given.get(name) == value else value
    os.environb.update((name, value) for name, value in theirs.items() if name not in wanted)


class _Area:
    """The environment in /proc/PID/environ: the bytes that the process was executed with. They are cleared before the first import, so
    that a parent keeps no variables of an earlier job there, and filled with a rank's variables after the fork. Libraries may keep
    pointers to variables: those point to copies on the heap, which glibc never frees."""

    def __init__(self):
        with io.open("/proc/self/stat", "rb") as file:
            self.start, end = map(int, file.read().rsplit(b")", 1)[1].split()[47:49])  # env_start and env_end, proc(5)
        self.size = end - self.start

    def clear(self):
        """Moves all variables to the heap. The variables of muster stay visible, because they tell whose process this is."""
        variables = dict(os.environb)
        _libc.clearenv()
        for name, value in variables.items():
            _libc.setenv(name, value, 1)
        if not hasattr(_libc, "gnu_get_libc_version"):
            self._keep_library_path()
        self.show({name: value for name, value in variables.items() if name.startswith(b"MUSTER_")})

    def _keep_library_path(self):
        """The loader of musl reads LD_LIBRARY_PATH where it was at the start: only the bytes after it are used."""
        with io.open("/proc/self/environ", "rb") as file:
            text = b"\0" + file.read()
        begin = text.find(b"\0LD_LIBRARY_PATH=")
        if begin >= 0 and self.size:
            ctypes.memset(self.start, 0, begin)
            used = text.index(b"\0", begin + 1)
            self.start, self.size = self.start + used, self.size - used

    def show(self, wanted):
        """Shows the variables for which there is room, those of muster first."""
        if not self.size:
            return  # the kernel does not tell where the bytes are
        text = b""
        for name, value in sorted(wanted.items(), key=lambda item: not item[0].startswith(b"MUSTER_")):
            if len(text) + len(name) + len(value) + 2 <= self.size:
                text += name + b"=" + value + b"\0"
        ctypes.memmove(self.start, text.ljust(self.size, b"\0"), self.size)


def _set_arguments(arguments, count):
    """Sets the rank's arguments: those after the first `count` of the command. The program is the same as the parent's."""
    if hasattr(sys, "orig_argv"):  # 3.10
        sys.orig_argv[:] = arguments
    sys.argv[1:] = arguments[count:]


def _seed(unseeded):
    """Draws new random seeds; otherwise all ranks of a parent would share them. (Python's `random` reseeds itself.)"""
    for generator in unseeded:
        generator.seed()
    processes = sys.modules.get("multiprocessing.process")
    if hasattr(processes, "_current_process"):
        processes._current_process._config["authkey"] = processes.AuthenticationString(os.urandom(32))
    if "torch" in sys.modules:
        sys.modules["torch"].default_generator.seed()
    if "numpy.random" in sys.modules:
        sys.modules["numpy.random"].seed()
    if "mlx.core" in sys.modules:
        sys.modules["mlx.core"].random.seed(int.from_bytes(os.urandom(8), "little"))
