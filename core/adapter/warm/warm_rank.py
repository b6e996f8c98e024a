"""The rank's side of a warm parent, and the words with which the agent speaks to it. One text with warm_hook.py, which says what
all of it is; this comes first.
"""
import os
import sys

import _socket


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


def _installed(spec):
    """Whether a module came with a package rather than with the user's own files."""
    places = [spec.origin] if spec.origin and spec.has_location else list(spec.submodule_search_locations or [])
    return bool(places) and all("/site-packages/" in place or "/dist-packages/" in place for place in places)


def _set_death_signal(agent):
    """SIGKILL when the agent dies, which adopts us once the process between has ended."""
    import ctypes

    while os.getppid() != agent:
        os.sched_yield()
    ctypes.CDLL(None).prctl(1, 9)  # PR_SET_PDEATHSIG, SIGKILL
    if os.getppid() != agent:
        os._exit(127)


def _redirect(out, err):
    def reopen(path, flags, number):
        descriptor = os.open(path or os.devnull, flags | os.O_NOCTTY | os.O_CLOEXEC, 0o600)
        os.dup2(descriptor, number)
        os.close(descriptor)

    reopen(b"", os.O_RDONLY, 0)
    reopen(out, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 1)
    reopen(err, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 2)


def _become(order, given, printed, socket):
    """Makes this process the rank that `order` describes; where to write down what it imports."""
    import resource

    agent, learn = order.number(), order.text()
    out, err, workdir = order.bytes(), order.bytes(), order.bytes()
    mask, nice = order.number(), order.number()
    cpus, limits = order.list(order.number), order.list(lambda: (order.number(), order.number(), order.number()))
    arguments, count, variables = order.list(order.text), order.number(), order.list(order.bytes)
    os.setsid()
    if cpus:
        os.sched_setaffinity(0, cpus)
    _redirect(out, err)
    os.chdir(workdir)
    if mask is not None:
        os.umask(mask)
    if nice is not None:
        try:
            os.setpriority(os.PRIO_PROCESS, 0, nice)
        except PermissionError:
            pass  # it would be a privilege
    for number, soft, hard in limits:
        resource.setrlimit(number, (soft, hard))
    _take_environment(dict(variable.split(b"=", 1) for variable in variables), given)
    _set_arguments(arguments, count)
    _seed()
    for number, text in enumerate(printed, 1):
        while text:
            text = text[os.write(number, text):]
    _set_death_signal(agent)
    socket.send(b"ready %d" % os.getpid())
    return learn


def _take_environment(wanted, given):
    """The rank's variables; what the interpreter and the imports have set for themselves stays theirs."""
    now = dict(os.environb)
    theirs = {name: value for name, value in now.items() if given.get(name) != value}
    os.environb.clear()
    for name, value in wanted.items():
        os.environb[name] = theirs.pop(name, value) if given.get(name) == value else value
    os.environb.update((name, value) for name, value in theirs.items() if name not in wanted)


def _set_arguments(arguments, count):
    """The program is the parent's; its arguments, after the first `count` of the command, are the rank's own."""
    if hasattr(sys, "orig_argv"):  # 3.10
        sys.orig_argv[:] = arguments
    sys.argv[1:] = arguments[count:]


def _seed():
    """A new process draws its seeds; children of one parent would share them. (Python's own `random` does so itself.)"""
    if "torch" in sys.modules:
        sys.modules["torch"].default_generator.seed()
    if "numpy.random" in sys.modules:
        sys.modules["numpy.random"].seed()
    if "mlx.core" in sys.modules:
        sys.modules["mlx.core"].random.seed(int.from_bytes(os.urandom(8), "little"))


def _learn(path):
    """Notes installed modules that the program imports, unless it changed its environment first: they may have read it."""
    import _frozen_importlib

    find, given = _frozen_importlib._find_spec, dict(os.environ)

    def _find_spec(name, path_, target=None):
        spec = find(name, path_, target)
        if spec is not None and _installed(spec) and os.environ == given:
            try:
                note = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
                os.write(note, os.fsencode(name) + b"\n")
                os.close(note)
            except OSError:
                _frozen_importlib._find_spec = find  # the program may have become somebody else
        return spec

    _frozen_importlib._find_spec = _find_spec
