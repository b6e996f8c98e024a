# SPDX-License-Identifier: Apache-2.0
"""The warm parent of Python ranks. It replaces `sitecustomize`, which an interpreter runs last before its program. The parent imports
the ranks' modules here, then waits for orders. A rank forked from it returns from this module, and the interpreter runs the program as
if it had just been started. Python 3.8 and newer. The other side is warm_parent.cc.

A message is a length (4 bytes, little-endian) and fields that end with a NUL. Orders: scan, preload, check, fork, end.
Answers: hello, found, ready, unsafe, fresh, stale; to a fork, on the rank's own socket: ready or failed.
"""
# The whole text is warm_rank.py, warm_elastic.py, warm_watch.py, warm_learn.py and this file, in this order.


def _without_effects(node):
    """Whether a statement before an import cannot change what the import does."""
    import ast

    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        defaults = node.args.defaults + [each for each in node.args.kw_defaults if each]
        return not node.decorator_list and all(isinstance(each, ast.Constant) for each in defaults)
    if isinstance(node, ast.Assign):
        return all(isinstance(target, ast.Name) for target in node.targets) and isinstance(node.value, ast.Constant)
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _scan(source):
    """The names of the modules that a program imports before any other statement with effects."""
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
    """Sends the installed modules of the program's first imports and of `wanted`, in that order. The first imports end at a module of the
    program itself or one to be avoided, because such a module may change what later imports do."""
    # Before the program's folder is on sys.path, which may have files of these names.
    import ast  # noqa: F401
    import importlib.util  # noqa: F401

    program, path0 = order.text(), order.text()
    wanted, avoided = order.list(order.text), set(order.list(order.text))
    _put_first(path0)
    first = []
    if program:
        try:
            with open(program, "rb") as file:
                first = _scan(file.read(1 << 20))
        except (OSError, SyntaxError, ValueError):
            pass  # the program will report the error itself
    found = []
    for name in first:
        spec = _spec_of(name)
        if spec is None or not _is_shared(spec) or not avoided.isdisjoint(_parts(name)):
            break
        found += [name] if _installed(spec) else []
    found += [name for name in wanted if avoided.isdisjoint(_parts(name)) and _spec_of(name) and _installed(_spec_of(name))]
    found = list(dict.fromkeys(found))
    link.send("found", len(found), *found)


def _parts(name):
    """For a.b.c: a, a.b and a.b.c. Importing a.b.c imports all of them."""
    words = name.split(".")
    return [".".join(words[:count]) for count in range(1, len(words) + 1)]


_specs = {}


def _spec_of(name):
    """The spec of the module's top-level package; None: not found."""
    import importlib.util

    package = name.partition(".")[0]
    if package not in _specs:
        try:
            _specs[package] = importlib.util.find_spec(package)
        except (ImportError, ValueError, AttributeError):
            _specs[package] = None
    return _specs[package]


def _threads():
    """The number of threads after a fork. Pools that end before a fork (OpenBLAS) do not count."""
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return len(os.listdir("/proc/self/task"))


def _held():
    """Open files that processes cannot share: GPUs (a context does not survive a fork), sockets, pipes, epolls."""
    found = []
    for number in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink("/proc/self/fd/" + number)
        except OSError:
            continue
        if target.startswith(("/dev/nvidia", "/dev/kfd", "/dev/dri/", "socket:", "pipe:", "anon_inode:[eventpoll]")):
            found.append(target)
    return found


def _has_children():
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def _unseeded_arrays():
    """numpy generators that an import created without a seed (long entropy). Objects of earlier imports are frozen, so not found."""
    module = sys.modules.get("numpy.random")
    kind, legacy = getattr(module, "BitGenerator", ()), getattr(module, "MT19937", ())
    # isinstance() would call the objects' __class__, and some warn about that.
    found = [each for each in gc.get_objects() if issubclass(type(each), kind) and not issubclass(type(each), legacy)] if kind else []
    entropies = [getattr(getattr(each, "seed_seq", None), "entropy", None) for each in found]
    return [_Bits(each) for each, entropy in zip(found, entropies) if isinstance(entropy, int) and entropy.bit_length() > 64]


def _are_missed():
    """Whether it is seen if the interpreter ends without collecting the objects of the imports: they have finalizers, or are of
    nanobind, which reports them as leaks."""
    kinds = {type(each) for each in gc.get_objects()}
    function = type(_are_missed)
    return any(getattr(kind, "__module__", "") == "nanobind" or any(type(base.__dict__.get("__del__")) is function for base in kind.__mro__)
               for kind in kinds)


class _Bits:
    def __init__(self, generator):
        self.generator = generator

    def seed(self):
        self.generator.state = type(self.generator)().state


def _files(own):
    """The files that the imports used, with their stamps. For the program's own folders: the names that hide an imported module."""
    shared = [place for place in sys.path if _is_installed(place + "/")]
    paths = {sys.executable, os.path.realpath(sys.executable), sys.prefix + "/pyvenv.cfg", *shared}
    for place in shared:
        try:
            paths.update(place + "/" + name for name in os.listdir(place) if name.endswith(".pth"))
        except OSError:
            pass
    for module in list(sys.modules.values()):
        path = getattr(module, "__file__", None)
        if isinstance(path, str):
            paths.add(path)
    return {**{path: _stamp(path) for path in paths}, **{place: _hidden(place) for place in own}}


def _unmap_files():
    """Unmaps unmodified pages of libraries. A rank that needs them gets them from the page cache again."""
    found, path = [], b""
    with io.open("/proc/self/smaps", "rb") as file:
        for line in file:
            words = line.split()
            if b"-" in words[0] and not words[0].endswith(b":"):
                path = words[5] if len(words) > 5 and words[1] in (b"r-xp", b"r--p") else b""
                place = [int(end, 16) for end in words[0].split(b"-")]
            elif words[0] == b"Anonymous:" and words[1] == b"0" and path.startswith(b"/") and not path.startswith(b"/dev/"):
                found.append(place)
    for start, end in found:
        _libc.madvise(ctypes.c_void_p(start), ctypes.c_size_t(end - start), 4)  # MADV_DONTNEED


def _hidden(place):
    try:
        return {name.partition(".")[0] for name in os.listdir(place or ".")} & {name for name in sys.modules if "." not in name}
    except OSError:
        return set()


def _given_environment():
    """The environment that this process was executed with, without the variables of the hook."""
    with open("/proc/self/environ", "rb") as file:
        given = dict(entry.split(b"=", 1) for entry in file.read().split(b"\0") if b"=" in entry)
    del given[b"MUSTER_WARM_SOCKET"], given[b"MUSTER_WARM_SPACE"]
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
        self.path0, self.own, self.files = "", [], {}
        self.printed = b"", b""
        self.area, self.unseeded = _Area(), []
        self.area.clear()
        self.customized = False
        self.collected_at_end = False
        atexit.register(self._thaw)  # first, so it runs last

    def preload(self, order):
        """Imports modules; answers `ready`, or `unsafe` with what would make a forked rank differ from a new process."""
        self.path0, explicit = order.text(), order.number()
        place, names = order.list(order.text), order.list(order.text)
        self.own = [self.path0] + [each for each in sys.path if not _is_of_python(each + "/")]
        if "HOROVOD_RANK" in place and not any(isinstance(each, _Elastic) for each in sys.meta_path):
            sys.meta_path.insert(0, _Elastic())
        watch = _Watch(place)
        watch.begin()
        try:
            trouble = self._customize(watch) or self._import(watch, names, explicit)
        finally:
            watch.end()
        sys.stdout.flush()
        sys.stderr.flush()
        if watch.avoid:
            name, why = list(watch.avoid.items())[-1]
            trouble = trouble or "importing %s %s" % (name, why)
        if trouble:
            self.link.send("unsafe", trouble, *watch.avoid)
            return
        self._settle(watch)
        self.link.send("ready")

    def _settle(self, watch):
        before = {path: found for path, found in self.files.items() if not isinstance(found, set)}
        self.files = {**_files(self.own), **watch.files, **before}
        self.printed = self._read("/proc/self/fd/1"), self._read("/proc/self/fd/2")
        self.unseeded += watch.unseeded + _unseeded_arrays()
        gc.collect()
        self.collected_at_end = self.collected_at_end or _are_missed()
        gc.freeze()
        _unmap_files()

    def _thaw(self):
        """At the end of a rank: lets the interpreter collect cycles of what was imported. This takes some tenths of a second."""
        if self.collected_at_end:
            gc.unfreeze()

    def _customize(self, watch):
        """Runs the user's sitecustomize and usercustomize, as the interpreter does before a program. Returns an error or ""."""
        if self.customized:
            return ""
        self.customized = True
        _make_way()
        for name in ("sitecustomize", "usercustomize"):
            if name == "usercustomize" and not sys.modules["site"].ENABLE_USER_SITE:
                continue
            try:
                watch.root(name)
            except BaseException as error:
                if not isinstance(error, ImportError) or error.name != name:
                    return "%s fails: %s: %s" % (name, type(error).__name__, error)
            if name in watch.avoid:
                return "%s %s" % (name, watch.avoid.pop(name))
        return ""

    def _import(self, watch, names, explicit):
        """Imports `names`. Returns why no rank can be forked from this process, even if modules are avoided; or ""."""
        before = set(sys.modules)
        _put_first(self.path0)
        try:
            for name in names:
                if not watch.avoid.keys().isdisjoint(_parts(name)):
                    continue
                blamed = set(watch.avoid)
                try:
                    watch.root(name)
                except BaseException as error:  # an import may even exit
                    if explicit:
                        return "importing %s failed: %s: %s" % (name, type(error).__name__, error)
                for blame in set(watch.avoid) - blamed:
                    sys.modules.pop(blame, None)  # so that other modules that import it are found as well
        finally:
            if self.path0 in sys.path:
                sys.path.remove(self.path0)
        for name in set(sys.modules) - before:
            spec = getattr(sys.modules[name], "__spec__", None)
            if spec is not None and spec.has_location and str(spec.origin).startswith((self.path0 or os.getcwd()) + "/"):
                if not _installed(spec) and not explicit:
                    return "%s is imported by an installed package, but is the program's own file" % spec.origin
        return ""

    @staticmethod
    def _read(path):
        with open(path, "rb") as file:
            return file.read()

    def check(self):
        changed = [path for path, found in self.files.items()
                   if found != (_hidden(path) if isinstance(found, set) else _stamp(path))]
        if changed:
            self.link.send("stale", changed[0])
        else:
            self.link.send("fresh")

    def fork(self, fields, descriptor):
        """Returns True in the rank. Forks twice, so that the agent becomes the rank's parent process."""
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
            learn = _become(_Fields(fields), self, socket)
        except BaseException as error:
            socket.send(("failed %s: %s" % (type(error).__name__, error)).encode())
            os._exit(127)
        _pass_gate(socket)
        socket.close()
        if learn:
            _Lesson(learn, self.path0).begin()
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


def _make_way():
    """Removes this module, so that the user's own sitecustomize can be imported."""
    folder = os.path.dirname(__file__)
    sys.path[:] = [place for place in sys.path if place != folder]
    sys.path_importer_cache.pop(folder, None)
    sys.modules.pop("sitecustomize", None)


def _main():
    path = os.environ.pop("MUSTER_WARM_SOCKET", "")
    os.environ.pop("MUSTER_WARM_SPACE", "")
    for name in set(sys.modules) - _before:
        del sys.modules[name]
    parent = False
    try:
        link = _Link(path) if path else None
        if link:
            with io.open("/proc/self/cmdline", "rb") as file:
                link.send("hello", *map(os.fsdecode, file.read().split(b"\0")[:-1]))
    except OSError:
        link = None  # a child process that inherited these variables
    try:
        if link:
            parent = True
            _serve(link)
    except BaseException:
        os._exit(1)  # only a rank may run the program
    if not parent:
        _make_way()
    import sitecustomize  # noqa: F401  `site` handles the ImportError if there is none


_main()
