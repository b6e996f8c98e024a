# SPDX-License-Identifier: Apache-2.0
"""The decisions of warm_elastic.py, without Horovod: which process becomes rank 0, and when a process takes its place in the next attempt."""

import concurrent.futures
import os
import queue
import signal
import socket
import threading
import types
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ATTEMPT_1 = {"MUSTER_ATTEMPT": "1", "MUSTER_INDEX": "2", "HOROVOD_RANK": "2", "HOROVOD_SIZE": "3"}
NEXT = {"MUSTER_ATTEMPT": "2", "MUSTER_INDEX": "2"}


@pytest.fixture
def hook(monkeypatch):
    """The text of the hook up to warm_elastic.py, in the environment of a rank."""
    module = types.ModuleType("hook")
    text = "".join((HERE / f"warm_{part}.py").read_text() for part in ("rank", "elastic"))
    exec(compile(text, "hook", "exec"), module.__dict__)
    for name, value in ATTEMPT_1.items():
        monkeypatch.setenv(name, value)
    return module


# Which process becomes rank 0.


class World:
    """The keys of one attempt. `synced` by rank: the last attempt in which the process got the state; None: it was executed."""

    def __init__(self, synced):
        self.synced = synced
        self.keys = {f"synced-{rank}": str(each) for rank, each in enumerate(synced) if rank and each is not None}

    def put(self, key, value):
        self.keys[key] = value

    def wait(self, key, rank):
        assert key in self.keys or self.synced[rank] is None, f"{key} is never set"
        return self.keys.get(key)


def ranks_after(hook, monkeypatch, *synced):
    world, after = World(synced), []
    for rank, each in enumerate(synced):
        monkeypatch.setenv("HOROVOD_RANK", str(rank))
        monkeypatch.setenv("HOROVOD_SIZE", str(len(synced)))
        if each is not None:
            hook._exchange_first(world, each)
        after.append(int(os.environ["HOROVOD_RANK"]))
    return after


@pytest.mark.parametrize("synced, after", [
    ([0, 0, 0], [0, 1, 2]),  # no process was kept
    ([1, 1, 0], [0, 1, 2]),  # rank 0 was kept
    ([0, 1, 1], [1, 0, 2]),
    ([0, 0, 1], [2, 1, 0]),
    ([1, 1, 2, 2], [2, 1, 0, 3]),  # the newest state counts
    ([0, None, 1], [2, 1, 0]),
    ([None, 0, 0], [0, 1, 2]),
])
def test_rank_0_is_a_process_with_the_newest_state(hook, monkeypatch, synced, after):
    assert ranks_after(hook, monkeypatch, *synced) == after


REFUSED = "rank 0 was started without a warm start"


def test_rank_0_that_was_executed_cannot_get_the_state(hook, monkeypatch):
    with pytest.raises(RuntimeError, match=REFUSED):
        ranks_after(hook, monkeypatch, None, 1)


class Meeting(World):
    """Each rank is a thread: a key is waited for until it is set. `order` has the keys that were set, then `raised` by each rank."""

    def __init__(self, synced):
        super().__init__(synced)
        self.changed, self.order, self.waits = threading.Condition(), [], 0

    def put(self, key, value):
        with self.changed:
            self.keys[key] = value
            self.order.append(key)
            self.changed.notify_all()

    def wait(self, key, rank):
        with self.changed:
            self.waits += 1
            assert self.synced[rank] is None or self.changed.wait_for(lambda: key in self.keys, 30), f"{key} is never set"
            return self.keys.get(key)


@pytest.mark.parametrize("synced", [[None, 1, 0, 1, 1], [None, 0, None, 1, 1], [None, 0, 1], [None, *[1] * 30]])
def test_no_process_ends_before_all_that_have_the_state_know_that_they_cannot_pass_it_on(hook, synced):
    meeting, having = Meeting(synced), [rank for rank, each in enumerate(synced) if each]

    def told(rank):
        hook._tell_peers(meeting, rank, len(synced))
        meeting.put("raised", "")

    with concurrent.futures.ThreadPoolExecutor(len(having)) as threads:
        list(threads.map(told, having))
    others = len(having) - 1
    assert set(meeting.order[:others]) == {f"refused-{rank}" for rank in having[1:]}
    assert meeting.order[others:] == ["refused"] + ["raised"] * len(having)
    assert meeting.waits <= 4 * len(synced), "the requests grow with the number of ranks only"


@pytest.mark.parametrize("rank", ["1", "2"])
def test_a_process_that_cannot_pass_on_the_state_ends_although_the_attempt_has_ended(hook, monkeypatch, rank):
    def only_before_a_refusal(call):
        def checked(key, value):
            if key.startswith("refused"):
                raise hook._AttemptEnded
            return call(key, value)
        return checked

    world = World([None, 1, 1])
    world.put, world.wait = only_before_a_refusal(world.put), only_before_a_refusal(world.wait)
    monkeypatch.setenv("HOROVOD_RANK", rank)
    with pytest.raises(RuntimeError, match=REFUSED):
        hook._exchange_first(world, 1)


# Waiting for the value of another rank.


def store_that_says(hook, monkeypatch, *answers):
    """A store whose GETs have these answers, in this order."""
    monkeypatch.setenv("HOROVOD_GLOO_RENDEZVOUS_ADDR", "127.0.0.1")
    monkeypatch.setenv("HOROVOD_GLOO_RENDEZVOUS_PORT", "1")
    store, left = hook._Store(None), list(answers)
    store._get = lambda path: left.pop(0)
    return store


@pytest.mark.parametrize("answers, value", [
    (["5"], "5"),
    ([None, None, "5"], "5"),
    ([None, "gloo", None], None),  # the rank initializes Horovod without a value
    ([None, "gloo", "5"], "5"),  # it was set between two GETs
])
def test_a_value_is_waited_for_until_its_rank_initializes_horovod(hook, monkeypatch, answers, value):
    assert store_that_says(hook, monkeypatch, *answers).wait("first", 0) == value


def test_a_rank_that_does_not_come_is_named(hook, monkeypatch):
    monkeypatch.setenv("HOROVOD_ELASTIC_TIMEOUT", "0")
    with pytest.raises(RuntimeError, match=r"rank 4 did not initialize Horovod within 0 s \(HOROVOD_ELASTIC_TIMEOUT\)"):
        store_that_says(hook, monkeypatch).wait("first", 4)


def test_a_server_of_an_attempt_that_ends_is_not_asked(hook, monkeypatch):
    store = store_that_says(hook, monkeypatch)
    store.wish = Wish(due=True)
    with pytest.raises(hook._AttemptEnded):
        store.put("up", "")


def test_a_server_that_does_not_listen_is_an_error_after_some_time(hook, monkeypatch):
    monkeypatch.setattr(hook, "_PATIENCE", 0)
    with pytest.raises(OSError):
        store_that_says(hook, monkeypatch).put("up", "")


# hvd.init() and the place in the next attempt.


class Wish:
    def __init__(self, due=False, *places):
        self.due, self.places, self.withdrawn = due, list(places), False

    def is_due(self, patience):
        return self.due

    def take(self):
        return {name.encode(): value.encode() for name, value in self.places.pop(0).items()}

    def withdraw(self):
        self.withdrawn = True


def initialize(hook, elastic, *outcomes):
    """Calls hvd.init() of a Horovod whose real init() has these outcomes; returns how often that was called."""
    class HorovodBasics:
        calls = 0

        def is_initialized(self):
            return self.calls > 0 and outcomes[self.calls - 1] is None

        def init(self):
            outcome = None if self.is_initialized() else outcomes[self.calls]
            type(self).calls += 1
            if outcome is not None:
                raise outcome

    elastic._prepare = lambda: None
    elastic._change_basics(types.SimpleNamespace(HorovodBasics=HorovodBasics))
    HorovodBasics().init()
    return HorovodBasics.calls


def test_init_is_called_again_if_the_attempt_ends(hook):
    elastic = hook._Elastic()
    elastic.wish = Wish(due=True)
    assert initialize(hook, elastic, ValueError("a peer is lost"), None) == 2


@pytest.mark.parametrize("wish", [None, Wish(due=False)])
def test_init_fails_if_no_attempt_ends(hook, wish):
    elastic = hook._Elastic()
    elastic.wish = wish
    with pytest.raises(ValueError, match="wrong arguments"):
        initialize(hook, elastic, ValueError("wrong arguments"))


def elastic_with(hook, monkeypatch, wish, stores):
    """`stores` collects the exchanges. The first GET of an attempt ends it if the wish has another place."""
    class Store:
        def __init__(self, wish):
            self.wish = wish

        def put(self, key, value):
            if self.wish is not None and self.wish.places:
                raise hook._AttemptEnded

    monkeypatch.setenv("HOROVOD_GLOO_RENDEZVOUS_ADDR", "127.0.0.1")
    monkeypatch.setattr(hook, "_Store", Store)
    monkeypatch.setattr(hook, "_exchange_first", lambda store, synced: stores.append((os.environ["MUSTER_ATTEMPT"], synced)))
    elastic = hook._Elastic()
    elastic.wish = wish
    return elastic


def test_the_first_attempt_exchanges_no_ranks(hook, monkeypatch):
    exchanged = []
    elastic_with(hook, monkeypatch, None, exchanged)._prepare()
    assert exchanged == []


def test_an_attempt_exchanges_ranks_once(hook, monkeypatch):
    exchanged = []
    elastic = elastic_with(hook, monkeypatch, Wish(True, NEXT), exchanged)
    elastic.synced = 1
    elastic._prepare()
    elastic.wish = None
    elastic._prepare()
    assert exchanged == [("2", 1)]


def test_a_process_whose_attempt_ends_takes_the_next_place(hook, monkeypatch):
    exchanged = []
    elastic_with(hook, monkeypatch, Wish(True, NEXT, NEXT | {"MUSTER_ATTEMPT": "3"}), exchanged)._prepare()
    assert exchanged == [("3", 0)]


def test_a_failed_collective_without_a_failed_rank_is_an_error(hook, monkeypatch):
    with pytest.raises(RuntimeError, match="no rank of the job failed within 60 s"):
        elastic_with(hook, monkeypatch, Wish(False), [])._prepare()


def test_a_program_without_horovods_server_is_left_alone(hook, monkeypatch):
    monkeypatch.delenv("HOROVOD_GLOO_RENDEZVOUS_ADDR", raising=False)
    hook._Elastic()._prepare()


def test_the_state_of_each_synchronization_is_kept(hook):
    saved = []
    state, elastic = types.SimpleNamespace(save=lambda: saved.append(True)), hook._Elastic()
    module = types.SimpleNamespace(run_fn=lambda func, reset: func)
    elastic._change_run(module)
    train = module.run_fn(lambda state, word: word, None)
    assert train(state, "trained") == "trained" and (saved, elastic.synced) == ([], 0)  # not in hvd.elastic.run
    elastic.wish = Wish()
    assert train(state, word="trained") == "trained" and (saved, elastic.synced) == ([True], 1)


def test_the_wish_ends_with_the_training(hook, monkeypatch):
    removed, elastic, wish = [], hook._Elastic(), Wish()
    monkeypatch.setattr(hook, "_Rejoin", lambda: wish)
    monkeypatch.setenv("MUSTER_SOCKET", "/nowhere")
    module = types.SimpleNamespace(WorkerNotificationManager=type("Manager", (), {"remove_listener": lambda self, each: removed.append(each)}))
    elastic._change_manager(module)
    manager = module.WorkerNotificationManager()
    manager.init()
    assert elastic.wish is wish
    manager.remove_listener("state")
    assert removed == ["state"] and wish.withdrawn and elastic.wish is None


# The request to the agent.


def field(hook, number, data):
    return bytes([8 * number + 2]) + hook._varint(len(data)) + data


def place_reply(hook, variables, code=0):
    status = field(hook, 1, bytes([8, code])) if code else b""
    pairs = (field(hook, 2, field(hook, 1, name.encode()) + field(hook, 2, value.encode())) for name, value in variables.items())
    return field(hook, 3, status + b"".join(pairs))


def send(connection, body):
    connection.sendall(len(body).to_bytes(4, "little") + body)


class Agent:
    """Gives each call of the rank to the test; answers a withdrawal itself."""

    def __init__(self, hook, path):
        self.hook, self.calls, self.withdrawal = hook, queue.Queue(), place_reply(hook, {})
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            request = self.hook._reply(connection)
            if request.endswith(self.hook._Rejoin._WITHDRAWAL):
                send(connection, self.withdrawal)
            self.calls.put((request, connection))

    def next(self):
        return self.calls.get(timeout=60)

    def end(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


@pytest.fixture
def agent(hook, tmp_path, monkeypatch):
    monkeypatch.setenv("MUSTER_SOCKET", str(tmp_path / "agent"))
    agent = Agent(hook, tmp_path / "agent")
    yield agent
    agent.end()


def test_a_request_names_protocol_attempt_and_rank(hook, agent):
    hook._Rejoin()
    request, _ = agent.next()
    assert request == bytes([8, 1, 16, 1, 24, 2]) + hook._Rejoin._REJOIN


def test_the_next_place_is_given_once_the_attempt_has_ended(hook, agent):
    wish = hook._Rejoin()
    _, asked = agent.next()
    assert not wish.is_due(0)
    request, ending = agent.next()
    assert request.endswith(hook._Rejoin._END)
    ending.close()
    assert wish.is_due(60)
    long = "x" * 300
    send(asked, place_reply(hook, {**NEXT, "MUSTER_SOCKET": os.environ["MUSTER_SOCKET"], "LONG": long}))
    place = wish.take()
    assert (place[b"MUSTER_ATTEMPT"], place[b"LONG"]) == (b"2", long.encode())
    request, _ = agent.next()
    assert request[:6] == bytes([8, 1, 16, 2, 24, 2]), "the request for the attempt after it"


def test_an_agent_that_ends_is_told_to_the_program(hook, agent):
    wish = hook._Rejoin()
    _, asked = agent.next()
    asked.close()
    with pytest.raises(RuntimeError, match="the agent of this node has closed its connection"):
        wish.take()


@pytest.mark.parametrize("code, signals", [(0, []), (9, [signal.SIGTERM])])
def test_a_withdrawal_that_comes_too_late_ends_the_process(hook, agent, monkeypatch, code, signals):
    sent = []
    monkeypatch.setattr(hook.os, "kill", lambda pid, number: sent.append(number))
    agent.withdrawal = place_reply(hook, {}, code)
    hook._Rejoin().withdraw()
    assert sent == signals


def test_a_message_is_read_by_its_fields(hook):
    assert list(hook._message(bytes([8]) + hook._varint(300) + field(hook, 2, b"text"))) == [(1, 300), (2, b"text")]
    assert hook._place_of(place_reply(hook, {"A": "", "B": "2"})) == {b"A": b"", b"B": b"2"}
    assert hook._place_of(place_reply(hook, {}, 5)) is None
