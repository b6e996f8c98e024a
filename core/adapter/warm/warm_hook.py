"""A warm parent of Python ranks. It stands in for `sitecustomize`, which an interpreter runs last before its program: here the
parent imports what the ranks will, then waits for orders; a rank forked from it returns from here, and the interpreter goes on
to the program as if it had just been started. Python 3.8 and newer. The other side is warm_parent.cc.

Messages have a length (4 bytes, little-endian) before fields that end with a NUL. Orders: scan, preload, check, fork, end.
Answers: hello, found, ready, unsafe, fresh, stale; to a fork, on the rank's own socket: ready or failed.
"""
import os
import sys

import _socket

# _Link, _Fields, _installed, _become and _learn stand before this in one text: warm_rank.py.


def _without_effects(node):
    """Whether a statement before an import cannot change what the import does."""
    import ast

    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return not node.decorator_list
    if isinstance(node, ast.Assign):
        return all(isinstance(target, ast.Name) for target in node.targets) and isinstance(node.value, ast.Constant)
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _scan(source):
    """Names of modules that a program imports before it does anything else."""
    import ast

    names = []
    for node in ast.parse(source).body:
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names += [node.module] if node.level == 0 and node.module else []
        elif not _without_effects(node):
            break
    return names


def _find(link, order):
    """What of `wanted` and of the program's first imports is installed, in that order."""
    import importlib.util

    program, path0 = order.text(), order.text()
    wanted = order.list(order.text)
    sys.path.insert(0, path0)
    if program:
        try:
            with open(program, "rb") as file:
                wanted += _scan(file.read(1 << 20))
        except (OSError, SyntaxError, ValueError):
            pass  # the program itself will say so
    packages = {}
    for package in {name.partition(".")[0] for name in wanted}:
        try:
            packages[package] = importlib.util.find_spec(package)
        except (ImportError, ValueError, AttributeError):
            pass
    installed = {package for package, spec in packages.items() if spec is not None and _installed(spec)}
    found = [name for name in dict.fromkeys(wanted) if name.partition(".")[0] in installed]
    link.send("found", len(found), *found)


def _threads():
    """How many threads a fork would find: pools that end before one (OpenBLAS's) do not count."""
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return len(os.listdir("/proc/self/task"))


def _held():
    """What is open that processes cannot share: GPUs, of which no context survives a fork, sockets, pipes, epolls."""
    found = []
    for number in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink("/proc/self/fd/" + number)
        except OSError:
            continue
        if target.startswith(("/dev/nvidia", "/dev/kfd", "/dev/dri/", "socket:", "pipe:", "anon_inode:[eventpoll]")):
            found.append(target)
    return found


def _files():
    """What the imports were made of: path to time and size."""
    paths = {os.path.realpath(sys.executable), *sys.path}
    for module in list(sys.modules.values()):
        path = getattr(module, "__file__", None)
        if isinstance(path, str):
            paths.add(path)
    return {path: _stamp(path) for path in paths}


def _stamp(path):
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _given_environment():
    """What this process was executed with, without our own."""
    with open("/proc/self/environ", "rb") as file:
        given = dict(entry.split(b"=", 1) for entry in file.read().split(b"\0") if b"=" in entry)
    del given[b"MUSTER_WARM_SOCKET"]
    rest = given.pop(b"PYTHONPATH").partition(b":")
    if rest[1]:
        given[b"PYTHONPATH"] = rest[2]
    return given


class _Parent:
    def __init__(self, link):
        self.link = link
        self.given = _given_environment()
        os.environb.pop(b"PYTHONPATH")
        if b"PYTHONPATH" in self.given:
            os.environb[b"PYTHONPATH"] = self.given[b"PYTHONPATH"]
        self.files = {}
        self.printed = b"", b""

    def preload(self, order):
        """Imports; says what would make a fork differ from a new process."""
        path0, explicit = order.text(), order.number()
        names = order.list(order.text)
        held = set(_held())
        trouble = self._import(path0, names, explicit)
        sys.stdout.flush()
        sys.stderr.flush()
        opened = sorted(set(_held()) - held)
        if not trouble and opened:
            trouble = ["the imports leave %s open, which ranks cannot share" % opened[0]]
        if trouble:
            self.link.send("unsafe", *trouble)
            return
        self.files = _files()
        self.printed = self._read("/proc/self/fd/1"), self._read("/proc/self/fd/2")
        import gc

        gc.collect()
        gc.freeze()
        self.link.send("ready")

    def _import(self, path0, names, explicit):
        import ctypes  # noqa: F401  both are needed in the ranks
        import resource  # noqa: F401

        before = set(sys.modules)
        sys.path.insert(0, path0)
        try:
            for name in names:
                try:
                    __import__(name)
                except BaseException as error:  # an import may even exit
                    if explicit:
                        return ["importing %s failed: %s: %s" % (name, type(error).__name__, error)]
                if len(os.listdir("/proc/self/task")) > 1 and _threads() > 1:
                    return ["importing %s starts a thread, which a fork would lose" % name, name]
        finally:
            if path0 in sys.path:
                sys.path.remove(path0)
        for name in set(sys.modules) - before:
            spec = getattr(sys.modules[name], "__spec__", None)
            if spec is not None and spec.has_location and str(spec.origin).startswith((path0 or os.getcwd()) + "/"):
                if not _installed(spec):
                    return ["%s is imported by an installed package, but is the program's own file" % spec.origin]
        return []

    @staticmethod
    def _read(path):
        with open(path, "rb") as file:
            return file.read()

    def check(self):
        changed = [path for path, stamp in self.files.items() if _stamp(path) != stamp]
        if changed:
            self.link.send("stale", changed[0])
        else:
            self.link.send("fresh")

    def fork(self, fields, descriptor):
        """True in the rank. It is forked twice, so that the agent becomes its parent."""
        between = os.fork()
        if between:
            os.close(descriptor)
            os.waitpid(between, 0)
            return False
        try:
            if os.fork():
                os._exit(0)
        except BaseException:
            os._exit(1)
        self.link.socket.close()
        socket = _socket.socket(fileno=descriptor)
        try:
            learn = _become(_Fields(fields), self.given, self.printed, socket)
        except BaseException as error:
            socket.send(("failed %s: %s" % (type(error).__name__, error)).encode())
            os._exit(127)
        if not socket.recv(1):
            os._exit(127)
        socket.close()
        if learn:
            _learn(learn)
        return True


def _serve(link):
    parent = _Parent(link)
    while True:
        fields, descriptor = link.receive()
        order = _Fields(fields)
        word = order.bytes()
        if word == b"scan":
            _find(link, order)
        elif word == b"preload":
            parent.preload(order)
        elif word == b"check":
            parent.check()
        elif word == b"fork" and parent.fork(fields[1:], descriptor):
            return
        elif word == b"end":
            os._exit(0)


def _leave():
    """Makes way for the user's own sitecustomize, and leaves no trace."""
    folder = os.path.dirname(__file__)
    sys.path[:] = [place for place in sys.path if place != folder]
    sys.path_importer_cache.pop(folder, None)
    del sys.modules["sitecustomize"]
    import sitecustomize  # noqa: F401  ImportError: there is none, which is what `site` expects


def _main():
    path = os.environ.pop("MUSTER_WARM_SOCKET", "")
    try:
        link = _Link(path) if path else None
        if link:
            link.send("hello", os.getpid())
    except OSError:
        link = None  # a child of somebody who had these variables
    try:
        if link:
            _serve(link)
    except BaseException:
        os._exit(1)  # nobody but a rank may come to the program
    _leave()


_main()
