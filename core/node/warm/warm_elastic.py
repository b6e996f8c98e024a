# SPDX-License-Identifier: Apache-2.0
"""Keeps the process of a rank that trains in hvd.elastic.run when another rank is lost. While the program trains, the agent holds a
request that the process continue in the next attempt (`rejoin` of docs/reference/rank-socket.md). When Horovod initializes itself again
after the failed collective, the process takes the place that the agent gives it. Part of one text with warm_hook.py.
"""

_PATIENCE = 60  # seconds for an attempt that may be about to end


class _Elastic:
    """A finder on sys.meta_path that changes three modules of Horovod when they are imported.

    Horovod sends the state of rank 0 to all ranks. So a process that has the state of the training must be rank 0: it exchanges its
    rank with a rank 0 that does not have it. If no process was kept, no rank is exchanged.
    """

    def __init__(self):
        self.wish = None  # the request that the agent holds
        self.synced = 0  # the last attempt in which this process got the state of the training; 0: none
        self.settled = "1"  # the last attempt in which the ranks were exchanged if necessary

    def find_spec(self, name, path=None, target=None):
        changes = {"horovod.common.basics": self._change_basics, "horovod.common.elastic": self._change_run,
                   "horovod.runner.elastic.worker": self._change_manager}
        if name not in changes:
            return None
        others = (finder.find_spec(name, path, target) for finder in sys.meta_path if finder is not self)
        spec = next((found for found in others if found), None)
        if spec is not None:
            load, change = spec.loader.exec_module, changes[name]

            def exec_module(module):
                load(module)
                change(module)

            spec.loader.exec_module = exec_module
        return spec

    def _change_basics(self, module):
        real = module.HorovodBasics.init

        def init(basics, *arguments, **named):
            while not basics.is_initialized():
                self._prepare()
                try:
                    return real(basics, *arguments, **named)
                except ValueError:  # a peer is lost, or the arguments are wrong
                    if self.wish is None or not self.wish.is_due(_PATIENCE):
                        raise
            return real(basics, *arguments, **named)

        init.__doc__ = real.__doc__
        module.HorovodBasics.init = init

    def _change_run(self, module):
        """hvd.elastic.run(func) is run_fn(func, ...), which calls `func` each time the state was synchronized."""
        import functools

        real = module.run_fn

        def run_fn(func, reset):
            @functools.wraps(func)
            def train(state, *arguments, **named):
                self._note_sync(state)
                return func(state, *arguments, **named)

            return real(train, reset)

        module.run_fn = run_fn

    def _change_manager(self, module):
        """hvd.elastic.run calls `init` at its start and `remove_listener` at its end. Horovod's driver, which the real `init` would call,
        does not exist here."""
        real = module.WorkerNotificationManager.remove_listener

        def init(manager, *arguments, **named):
            if self.wish is None and "MUSTER_SOCKET" in os.environ:
                self.wish = _Rejoin()

        def remove_listener(manager, listener):
            real(manager, listener)
            wish, self.wish = self.wish, None
            if wish is not None:
                wish.withdraw()

        module.WorkerNotificationManager.init = init
        module.WorkerNotificationManager.remove_listener = remove_listener

    def _note_sync(self, state):
        """Horovod's restore() goes back to the last save(), so a process without a save would go back to its initial state."""
        if self.wish is not None:
            state.save()
            self.synced = int(os.environ["MUSTER_ATTEMPT"])

    def _prepare(self):
        """Before Horovod initializes itself, from the environment."""
        while True:
            if self.wish is not None:
                self._take_place()
            try:
                return self._meet()
            except _AttemptEnded:
                pass  # another rank was lost

    def _meet(self):
        if "HOROVOD_GLOO_RENDEZVOUS_ADDR" not in os.environ:
            return
        store = _Store(self.wish)
        store.put("up", "")  # Horovod itself gives up after 1.5 s if the server of another node does not listen yet
        attempt = os.environ.get("MUSTER_ATTEMPT", "1")
        if attempt != self.settled:
            _exchange_first(store, self.synced)
            self.settled = attempt

    def _take_place(self):
        if not self.wish.is_due(_PATIENCE):
            raise RuntimeError("a collective of Horovod failed, but no rank of the job failed within %d s" % _PATIENCE)
        place = self.wish.take()
        sys.stdout.flush()
        sys.stderr.flush()
        os.environb.update(place)
        for number, name in enumerate((b"MUSTER_STDOUT", b"MUSTER_STDERR"), 1):
            if place.get(name) and not os.isatty(number):
                _reopen(place[name], os.O_WRONLY | os.O_APPEND | os.O_CREAT, number)


def _exchange_first(store, synced):
    """Rank 0 finds the rank whose process has the newest state and publishes it. That rank becomes rank 0, and rank 0 becomes that
    rank. An executed rank (not forked from a warm parent) has no state, and cannot exchange its rank."""
    rank, size = int(os.environ["HOROVOD_RANK"]), int(os.environ["HOROVOD_SIZE"])
    store.put("synced-%d" % rank, str(synced))
    if rank == 0:
        attempts = [synced] + [int(store.wait("synced-%d" % other, other) or 0) for other in range(1, size)]
        store.put("first", str(attempts.index(max(attempts))))
    first = store.wait("first", 0)
    if first is None and synced:
        _tell_peers(store, rank, size)
        raise RuntimeError(
            "rank 0 was started without a warm start, so it cannot get the state of the training from the processes that have it. "
            "All ranks start anew in the next attempt, from the last checkpoint if the program loads one at its start. "
            "Why rank 0 had no warm start: docs/guide/warm-start.md")
    if first is not None and rank in (0, int(first)):
        os.environ["HOROVOD_RANK"] = str(int(first) - rank)


def _tell_peers(store, rank, size):
    """Returns when every process that has the state knows that rank 0 cannot get it. All of them then raise an error. If one raised it
    earlier, the attempt would end, and the others would continue in the next attempt or not, depending on the time. The first of these
    processes waits for each of the others, and they wait for it, so the number of requests grows with the number of ranks only."""
    def have_state(ranks):
        return (other for other in ranks if int(store.wait("synced-%d" % other, other) or 0))

    try:
        first = next(have_state(range(1, size)))
        if rank != first:
            store.put("refused-%d" % rank, "")
            store.wait("refused", first)
            return
        for other in have_state(range(rank + 1, size)):
            store.wait("refused-%d" % other, other)
        store.put("refused", "")
    except _AttemptEnded:
        pass


class _AttemptEnded(Exception):
    """The attempt ends, so its key-value server is of no use; this process takes its place in the next attempt."""


class _Store:
    """Horovod's key-value server in this attempt. Raises _AttemptEnded if the process is to continue in the next attempt."""

    def __init__(self, wish):
        self.wish = wish
        self.address = os.environ["HOROVOD_GLOO_RENDEZVOUS_ADDR"], int(os.environ["HOROVOD_GLOO_RENDEZVOUS_PORT"])

    def put(self, key, value):
        self._call("PUT", "/muster/" + key, value)

    def wait(self, key, rank):
        """The value that `rank` sets before it initializes Horovod. None: it initializes Horovod without setting it."""
        import time

        limit = int(os.environ.get("HOROVOD_ELASTIC_TIMEOUT") or 600)
        end = time.monotonic() + limit
        while time.monotonic() < end:
            value = self._get("/muster/" + key)
            if value is None and self._get("/global/rank_%d" % rank) is not None:  # Gloo's key
                return self._get("/muster/" + key)  # it may have been set between the two calls
            if value is not None:
                return value
        raise RuntimeError("rank %d did not initialize Horovod within %d s (HOROVOD_ELASTIC_TIMEOUT)" % (rank, limit))

    def _get(self, path):
        """The server waits a moment for the key. None: it is not there."""
        status, value = self._call("GET", path)
        return value if status == 200 else None

    def _call(self, method, path, value=None):
        """The status and the body of the answer. The server may begin to listen later, and ends with the attempt."""
        import http.client
        import time

        end = time.monotonic() + _PATIENCE
        while True:
            if self.wish is not None and self.wish.is_due(0):
                raise _AttemptEnded
            connection = http.client.HTTPConnection(*self.address, timeout=10)
            try:
                connection.request(method, path, value)
                answer = connection.getresponse()
                return answer.status, answer.read().decode()
            except (OSError, http.client.HTTPException):
                if time.monotonic() > end:
                    raise
            finally:
                connection.close()
            time.sleep(0.02)


class _Rejoin:
    """The request to the agent that this process continue in the next attempt. The agent always holds one until it is withdrawn: when it
    has given a place, it gets the next request at once, because that attempt may end before this process has taken its place."""

    _END, _REJOIN, _WITHDRAWAL = b"\x32\x00", b"\x3a\x00", b"\x3a\x02\x08\x01"  # fields of a WorkerRequest (proto/worker.proto)

    def __init__(self):
        self.withdrawn, self.ending = False, None
        self.place = dict(os.environb)  # the newest one; empty: the agent has closed the connection
        self.given = _thread.allocate_lock()  # free: `place` was not taken yet
        self.given.acquire()
        _thread.start_new_thread(self._receive, (_call_agent(self.place, self._REJOIN),))

    def is_due(self, patience):
        """Whether this attempt ends within `patience` seconds. The agent then gives this process a place, or ends it."""
        if not self.given.locked():
            return True
        if self.ending is None:
            self.ending = _call_agent(os.environb, self._END)
        self.ending.settimeout(patience)
        try:
            self.ending.recv(1, _socket.MSG_PEEK)
        except (BlockingIOError, _socket.timeout):
            return False
        return True

    def take(self):
        """The variables of this rank in the newest attempt. Waits for that attempt for as long as the job does."""
        self.given.acquire()
        self._close()
        if not self.place:
            raise RuntimeError("the agent of this node has closed its connection to this rank")
        return self.place

    def withdraw(self):
        self.withdrawn = True
        self._close()
        if not self.place:
            return
        try:
            agent = _call_agent(self.place, self._WITHDRAWAL)
            try:
                refused = _place_of(_reply(agent)) is None
            finally:
                agent.close()
        except OSError:
            return  # the agent has ended
        if refused:  # the attempt has ended. The agent has not asked this process to end, because it was to continue.
            os.kill(os.getpid(), _signal.SIGTERM)

    def _receive(self, agent):
        while agent is not None:
            place, following = {}, None
            try:
                place = _place_of(_reply(agent))
                if place is None:
                    return  # withdrawn, or no attempt follows and the agent ends this process
                if self.withdrawn:  # the other ranks of that attempt would wait for this process
                    os.kill(os.getpid(), _signal.SIGKILL)
                following = _call_agent(place, self._REJOIN)
            except OSError:
                pass
            finally:
                agent.close()
            self.place, agent = place, following
            if self.given.locked():
                self.given.release()

    def _close(self):
        if self.ending is not None:
            self.ending.close()
            self.ending = None


def _call_agent(place, request):
    """Sends the call of a rank to its agent. The answer can be read from the connection."""
    numbers = [1, int(place[b"MUSTER_ATTEMPT"]), int(place[b"MUSTER_INDEX"])]
    message = b"".join(bytes([8 * field]) + _varint(number) for field, number in enumerate(numbers, 1)) + request
    agent = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM | _socket.SOCK_CLOEXEC)
    try:
        agent.connect(place[b"MUSTER_SOCKET"])
        agent.sendall(len(message).to_bytes(4, "little") + message)
    except BaseException:
        agent.close()
        raise
    return agent


def _reply(agent):
    return _exactly(agent, int.from_bytes(_exactly(agent, 4), "little"))


def _place_of(reply):
    """The variables of a WorkerReply with a place; None: the agent refuses it."""
    place = {}
    for kind, body in _message(reply):
        for field, value in _message(body) if kind == 3 else ():
            if field == 1 and any(number == 1 and code for number, code in _message(value)):
                return None
            if field == 2:
                pair = dict(_message(value))
                place[pair[1]] = pair.get(2, b"")
    return place


def _exactly(connection, size):
    data = b""
    while len(data) < size:
        part = connection.recv(size - len(data))
        if not part:
            raise OSError("the agent has closed the connection")
        data += part
    return data


def _varint(number):
    text = b""
    while number > 127:
        text += bytes([number & 127 | 128])
        number >>= 7
    return text + bytes([number])


def _message(data):
    """The fields of a protobuf message with numbers and bytes."""
    at = 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        tag = number()
        if tag & 7 == 2:
            size = number()
            at += size
            yield tag >> 3, data[at - size:at]
        else:
            yield tag >> 3, number()
