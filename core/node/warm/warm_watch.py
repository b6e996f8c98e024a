# SPDX-License-Identifier: Apache-2.0
"""Watches the imports of a warm parent. A module must not read state that only a rank has, nor leave state that a fork loses. A module
that does so is blamed, with all modules that were importing it. The watch leaves no traces. Part of one text with warm_hook.py.
"""


class _Place(str):
    """The name of a rank-specific variable, as seen by code that iterates over the whole environment. Using it counts as a read; skipping
    it (`if name.startswith("TQDM_")`) does not."""

    def __eq__(self, other):
        return self._used(str.__eq__(self, other))

    def __ne__(self, other):
        return not self.__eq__(other)

    def __contains__(self, part):
        return self._used(str.__contains__(self, part))

    def startswith(self, *words):
        return self._used(str.startswith(self, *words))

    def endswith(self, *words):
        return self._used(str.endswith(self, *words))

    def _used(self, found):
        if found is True and _Place.watch:
            _Place.watch.blame("reads a rank's variables")
        return found

    __hash__ = str.__hash__
    watch = None


class _Watched(os._Environ):
    """os.environ and os.environb while a parent imports."""

    watch = None

    def _asks(self, key):
        name = os.fsdecode(key) if isinstance(key, (str, bytes)) else ""
        if self.watch and self.watch.is_place(name):
            self.watch.blame("reads " + name)

    def __getitem__(self, key):
        if isinstance(key, _Place):
            return os.fsdecode(self._data.get(os.fsencode(key), b"0"))
        self._asks(key)
        return os._Environ.__getitem__(self, key)

    def __setitem__(self, key, value):
        self._asks(key)
        os._Environ.__setitem__(self, key, value)

    def __delitem__(self, key):
        self._asks(key)
        os._Environ.__delitem__(self, key)

    def __iter__(self):
        names = list(os._Environ.__iter__(self))
        return self.watch.lend(names) if self.watch and self is os.environ else iter(names)


def _folder():
    mask = os.umask(0o77)
    os.umask(mask)
    try:
        return os.getcwd(), mask
    except OSError:
        return None, mask


class _Watch:
    """`avoid`: the blamed modules in the order of their import, with the reasons. `files`: the files that were read, with stamps."""

    def __init__(self, place):
        self.place = frozenset(place)
        self.stack, self.avoid, self.files, self.unseeded = [], {}, {}, []
        self.lent, self.patched = [], []
        self.open, self.own, self.threads, self.started, self.torch, self.folder = 0, [], 1, False, None, None

    def is_place(self, name):
        return name in self.place or name.startswith("MUSTER_")

    def blame(self, why):
        for name in self.stack:
            self.avoid.setdefault(name, why)

    def lend(self, names):
        import _weakref

        lent = [_Place(name) for name in sorted(self.place)]
        self.lent += [_weakref.ref(name) for name in lent]
        return iter(lent + [name for name in names if not self.is_place(name)])  # last: a loop variable keeps its last name alive

    def _kept(self):
        """Whether some code still refers to a lent name."""
        if any(name() is not None for name in self.lent):
            gc.collect()
        kept = any(name() is not None for name in self.lent)
        self.lent = []
        return kept

    def _opened(self, file, mode):
        if isinstance(file, int) or set(str(mode)) & set("wax+"):
            return
        path = os.path.abspath(os.fsdecode(file))
        if path.startswith("/proc/") and path.endswith(("/environ", "/cmdline")):
            self.blame("reads " + path)
        elif not path.startswith(("/proc/", "/sys/", "/dev/")) and not _is_of_python(path):
            self.files.setdefault(path, _stamp(path))

    def _patch(self, module, name, make):
        real = getattr(module, name)
        self.patched.append((module, name, real, make(real)))
        setattr(module, name, self.patched[-1][3])

    def begin(self):
        _Place.watch = _Watched.watch = self
        for environment in (os.environ, os.environb):
            environment.__class__ = _Watched
        self.open, self.own, self.folder = len(os.listdir("/proc/self/fd")), _held(), _folder()

        def opening(real):
            def open(file, mode="r", *arguments, **named):
                self._opened(file, mode)
                return real(file, mode, *arguments, **named)
            return open

        def loading(real):
            def _load_unlocked(spec):
                self.stack.append(spec.name)
                try:
                    return real(spec)
                finally:
                    self._loaded(spec.name)
                    self.stack.pop()
            # Warnings and tracebacks omit frames of this file name.
            _load_unlocked.__code__ = _load_unlocked.__code__.replace(co_filename="<frozen importlib._bootstrap>")
            return _load_unlocked

        self._patch(builtins, "open", opening)
        io.open = builtins.open
        self._patch(_frozen_importlib, "_load_unlocked", loading)
        for name in {"random", "tempfile", "numpy.random", "torch"} & set(sys.modules):
            self._known(name)

    def _known(self, name):
        """Patches functions that seed the process, create a generator without a seed, or create a temporary file."""
        module = sys.modules.get(name)
        if name == "torch":
            self.torch = self._seed_of_torch()
        for each in {"random": ("seed", "setstate"), "numpy.random": ("seed", "set_state")}.get(name, ()):
            if hasattr(module, each):
                self._patch(module, each, self._blaming("seeds the random numbers of its process"))
        if name == "random" and hasattr(module, "Random"):
            def seeding(real):
                def seed(generator, a=None, *arguments, **named):
                    self.unseeded = [each for each in self.unseeded if each is not generator]
                    if a is None:
                        self.unseeded.append(generator)
                    return real(generator, a, *arguments, **named)
                return seed

            def setting(real):
                def setstate(generator, state):
                    real(generator, state)
                    self.unseeded = [each for each in self.unseeded if each is not generator]
                return setstate
            self._patch(module.Random, "seed", seeding)
            self._patch(module.Random, "setstate", setting)
        if name == "tempfile" and hasattr(module, "_get_candidate_names"):
            self._patch(module, "_get_candidate_names", self._blaming("makes a temporary file"))

    def _blaming(self, why):
        def blaming(real):
            def blamed(*arguments, **named):
                self.blame(why)
                return real(*arguments, **named)
            return blamed
        return blaming

    def _loaded(self, name):
        self._known(name)
        if self.lent and self._kept():
            self.blame("copies a rank's variables")
        package, around = name.partition(".")[0], self.stack[-2].partition(".")[0] if len(self.stack) > 1 else ""
        if package == around:
            return
        self._look_around()

    def _look_around(self):
        """Checks for threads, processes, folder, umask and open files; blames each change once."""
        threads = len(os.listdir("/proc/self/task"))
        if threads > self.threads:
            threads = _threads()
        if threads > self.threads:
            self.threads = threads
            self.blame("starts a thread, which a fork would lose")
        if not self.started and (_has_children() or any(_signal.getitimer(which)[0] for which in range(3))):
            self.started = True
            self.blame("starts a process or a timer, which a fork would lose")
        if _folder() != self.folder:
            self.folder = _folder()
            self.blame("changes the working folder or the umask")
        opened = len(os.listdir("/proc/self/fd"))
        if opened != self.open:
            held = [target for target in _held() if target not in self.own]
            self.open, self.own = opened, self.own + held
            if held:
                self.blame("leaves %s open, which processes cannot share" % held[0])

    @staticmethod
    def _seed_of_torch():
        generator = getattr(sys.modules.get("torch"), "default_generator", None)
        return generator and generator.initial_seed()

    def root(self, name):
        """Imports the module as the program would; passes exceptions on."""
        scope = {"__name__": "__main__", "__builtins__": builtins}
        try:
            exec(compile("__import__(%r)" % name, "<program>", "exec"), scope)
        finally:
            if self.torch not in (None, self._seed_of_torch()):
                self.torch = self._seed_of_torch()
                self.avoid.setdefault(name, "seeds the random numbers of its process")
            if "__warningregistry__" in scope:
                self.avoid.setdefault(name, "warns the module that imports it")

    def end(self):
        ours = {}
        for module, name, real, patch in reversed(self.patched):
            setattr(module, name, real)
            ours[patch] = real
        for holder in gc.get_referrers(*ours):  # `from io import open`
            if type(holder) is dict and holder is not ours:
                for key in [key for key, value in holder.items() if any(value is patch for patch in ours)]:
                    holder[key] = ours[holder[key]]
        io.open = builtins.open
        self.patched = []
        for environment in (os.environ, os.environb):
            environment.__class__ = os._Environ
        _Place.watch = _Watched.watch = None
