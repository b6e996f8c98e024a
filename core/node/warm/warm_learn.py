# SPDX-License-Identifier: Apache-2.0
"""Notes the imports of the first rank of a node, for the next warm parents. Noting stops at the first import that finds state changed
since the program began. Part of one text with warm_hook.py.
"""


def _state():
    """The process state that an import may depend on and a program may change."""
    root, warnings = getattr(sys.modules.get("logging"), "root", None), sys.modules.get("warnings")
    try:
        folder = os.getcwd()
    except OSError:
        folder = None
    return (os.environ._data.copy(), list(sys.path), list(sys.meta_path), list(sys.path_hooks), sys.argv[1:], folder,
            list(getattr(warnings, "filters", ())), root and (root.level, root.handlers[:], root.filters[:], root.manager.disable),
            sys.stdin, sys.stdout, sys.stderr, builtins.__import__, builtins.open, id(sys.modules))


class _Lesson:
    """Notes imports until one finds changed state; then it removes its hooks for good."""

    def __init__(self, path, path0):
        self.path, self.path0 = path, path0
        self.find, self.load = _frozen_importlib._find_spec, _frozen_importlib._load_unlocked
        self.process, self.thread = os.getpid(), _thread.get_ident()
        self.before, self.begun, self.inside = _state(), False, ""
        self.known, self.prepared = len(sys.modules), []

    def begin(self):
        def _find_spec(name, path, target=None):
            spec = self.find(name, path, target)
            if spec is not None and self._is_on():
                try:
                    self._found(name, spec)
                except Exception:  # an error here must not reach the program
                    self._end()
            return spec

        def _load_unlocked(spec):
            if not self._is_on() or not _is_shared(spec):
                return self.load(spec)
            outer, self.inside = self.inside, self.inside or spec.name
            try:
                return self.load(spec)
            except BaseException:
                self._failed(spec)
                raise
            finally:
                self.inside = outer
                if not outer and self._is_on():  # a package makes the same changes in a parent
                    now = _state()
                    self.prepared += [spec.name] if now != self.before else []
                    self.before, self.known = now, len(sys.modules)

        for each in (_find_spec, _load_unlocked):
            each.__code__ = each.__code__.replace(co_filename="<frozen importlib._bootstrap>")
            setattr(_frozen_importlib, each.__name__, each)

    def _is_on(self):
        return self.path is not None and os.getpid() == self.process and _thread.get_ident() == self.thread

    def _end(self):
        self.path = None
        _frozen_importlib._find_spec, _frozen_importlib._load_unlocked = self.find, self.load

    def _found(self, name, spec):
        if self.inside and not _is_shared(spec):
            return self._end()  # a package that imports the program's own modules
        if not self.inside and not self._is_as_it_was():
            return self._end()
        if _installed(spec):
            # A module may depend on changes by these packages; they are missing in a parent that avoids the packages.
            around = [self.inside] if self.inside and _state() != self.before else []
            self._note("\t".join([name] + self.prepared + around))
        elif not _is_shared(spec):
            stamp = _stamp(spec.origin) if spec.origin else None  # a package without __init__.py has no file
            self._note("=%s\t%d\t%d" % (spec.origin, *stamp[:2]) if stamp else "=")

    def _failed(self, spec):
        """Notes a failed import, so that no parent tries it."""
        if self._is_on() and _installed(spec):
            self._note("-" + spec.name)

    def _is_as_it_was(self):
        now = _state()
        if not self.begun:  # meanwhile the interpreter has put the program's folder first on sys.path
            self.begun = True
            path = now[1]
            if path[1:] == self.before[1] and os.path.realpath(path[0]) == os.path.realpath(self.path0):
                self.before = self.before[:1] + (path,) + self.before[2:]
        added = [sys.modules[name] for name in list(sys.modules)[self.known:] if "." not in name]
        self.known = len(sys.modules)
        return now == self.before and all(getattr(module, "__spec__", None) is not None for module in added)

    def _note(self, line):
        try:
            note = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
            os.write(note, os.fsencode(line) + b"\n")
            os.close(note)
        except OSError:
            self._end()  # the program may have changed its user
