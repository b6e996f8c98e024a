# SPDX-License-Identifier: Apache-2.0
"""muster's store and torch's, byte by byte: the same requests get the same replies."""

import contextlib

import pytest
import servers
from wire import CURRENT, OLD, Wire, text

NUMBERS = ["5", " 7", "12abc", "", "x", "99999999999999999999", "-3", "+4", "+-5", "0x10", "9223372036854775807"]


def one(*requests):
    """A story of one client."""
    return [(0, *request) for request in requests]


# Stories of up to three clients: the requests of each.
STORIES = {
    "compare_set of a missing key, nothing expected": one(("compare_set", "k", "", "n"), ("get", "k")),
    "compare_set of a missing key": one(("compare_set", "k", "x", "n"), ("check", ["k"])),
    "compare_set of another value": one(("set", "k", "v"), ("compare_set", "k", "x", "n"), ("get", "k")),
    "compare_set to nothing": one(("set", "k", "v"), ("compare_set", "k", "v", ""), ("check", ["k"]), ("compare_set", "k", "", "w")),
    "get of a missing key": one(("get", "k"), ("num_keys",)),
    "no keys": one(("check", []), ("wait", []), ("multi_get", []), ("multi_set", []), ("num_keys",)),
    "many keys": one(("multi_set", [("a", "1"), ("b", "2")]), ("multi_get", ["b", "none", "a"]), ("num_keys",)),
    "an empty key": one(("set", "", "v"), ("get", ""), ("list_keys",)),
    "delete": one(("set", "k", "v"), ("delete_key", "k"), ("delete_key", "k"), ("get", "k")),
    "append": one(("append", "k", "a"), ("append", "k", "b"), ("get", "k")),
    "cancel without a wait": one(("cancel_wait",), ("cancel_wait",)),
    "a long value": one(("set", "k", "v" * (8 << 20)), ("get", "k")),
    "a value too long": one(("set", "k", "v" * ((8 << 20) + 1))),
    "a key as long as may be": one(("set", "k" * 8192, "v"), ("list_keys",)),
    "a key too long": one(("get", "k" * 8193)),
    "a second greeting": one(("", b"\xce\xf7\x85\x3c")),
    "queue": one(("queue_push", "q", "1"), ("queue_push", "q", "2"), ("queue_len", "q"), ("check", ["q"]), ("num_keys",),
                 ("get", "q"), ("delete_key", "q"), ("wait", ["q"]), ("queue_pop", "q"), ("queue_pop", "q"), ("queue_pop", "q"),
                 ("queue_len", "q"), ("list_keys",)),
    "a queue and a key of one name": one(("set", "q", "v"), ("queue_push", "q", "1"), ("get", "q"), ("queue_pop", "q"), ("get", "q")),
    "wait for two": [(0, "wait", ["a", "b"]), (1, "set", "a", "1"), (0, "hear"), (1, "delete_key", "a"), (1, "set", "b", "1"), (0, "hear")],
    "wait for one twice": [(0, "wait", ["a", "a"]), (1, "set", "a", "1"), (0, "hear"), (1, "set", "a", "1"), (0, "hear")],
    "wait, cancelled": [(0, "wait", ["a"]), (0, "cancel_wait"), (1, "set", "a", "1"), (0, "hear")],
    "asking while waiting": [(0, "wait", ["a"]), (0, "num_keys"), (1, "set", "a", "1"), (0, "hear")],
    "a queue serves in turn": [(0, "wait", ["q"]), (1, "wait", ["q"]), (2, "queue_push", "q", "1"), (0, "hear"), (1, "hear"),
                               (2, "queue_push", "q", "2"), (0, "hear"), (1, "hear"), (1, "queue_pop", "q"), (0, "queue_pop", "q")],
    "a set wakes all who wait for a queue": [(0, "wait", ["q"]), (1, "wait", ["q"]), (2, "set", "q", "1"), (0, "hear"), (1, "hear")],
    "barrier": [(0, "barrier", "b", 2), (2, "list_keys"), (2, "get", "b"), (1, "barrier", "b", 2), (0, "hear"), (2, "get", "b"),
                (0, "barrier", "b", 2)],
    "barrier of three": [(0, "barrier", "b", 3), (1, "barrier", "b", 3), (2, "barrier", "b", 3), (0, "hear"), (1, "hear")],
    "barrier of none": one(("barrier", "b", 0), ("barrier", "c", -1), ("get", "b")),
    "barrier, cancelled": [(0, "barrier", "b", 2), (0, "cancel_wait"), (1, "barrier", "b", 2), (0, "hear"), (1, "get", "b")],
    "barrier on text": one(("set", "b", "x"), ("barrier", "b", 2)),
    "barriers of two sizes": [(0, "barrier", "b", 3), (1, "barrier", "b", 2), (0, "hear")],
    "a set ends a barrier": [(0, "barrier", "b", 3), (1, "set", "b", "9"), (0, "hear"), (1, "barrier", "b", 3), (1, "get", "b")],
    "a barrier ends waits when it is full": [(2, "wait", ["b"]), (0, "barrier", "b", 2), (2, "hear"), (1, "barrier", "b", 2), (2, "hear")],
    "deleted in a barrier": [(0, "barrier", "b", 2), (2, "delete_key", "b"), (1, "barrier", "b", 2), (0, "hear"),
                             (2, "barrier", "b", 2), (0, "hear"), (1, "hear")],
    "one who left counts in a barrier": [(0, "barrier", "b", 2), (0, "close"), (1, "barrier", "b", 2), (1, "get", "b")],
    **{f"add to {value!r}": [(0, "set", "n", value), (0, "add", "n", 1), (1, "get", "n")] for value in NUMBERS},
    **{f"a wait ended by {maker[0]}": [(0, "wait", ["k"]), (1, *maker), (0, "hear")]
       for maker in (("set", "k", ""), ("add", "k", 1), ("append", "k", "v"), ("compare_set", "k", "", "v"),
                     ("multi_set", [("k", "v")]), ("queue_push", "k", "v"))},
}

# Requests that torch 1.13 supports; its clients do not wait on the connection on which they ask.
OLD_STORIES = {
    name: story for name, story in STORIES.items()
    if all(request[1] in OLD and request[1] != "wait" for request in story) and name not in ("get of a missing key", "delete") and "long" not in name
} | {
    "watch": [(0, "watch_key", "w"), (1, "set", "w", "1"), (0, "hear"), (1, "set", "w", "2"), (0, "hear"), (1, "compare_set", "w", "2", "3"),
              (0, "hear"), (1, "compare_set", "w", "x", "4"), (0, "hear"), (1, "add", "w", 4), (0, "hear"), (1, "delete_key", "w"),
              (0, "hear"), (1, "set", "w", ""), (0, "hear")],
    # Separate keys: torch 1.13 keeps notifying a watcher's descriptor after its end, even if the number was reused.
    "watch twice": [(0, "watch_key", "w2"), (0, "watch_key", "w2"), (1, "compare_set", "w2", "", "n"), (0, "hear")],
    "two watch": [(0, "watch_key", "w3"), (1, "watch_key", "w3"), (2, "add", "w3", 1), (0, "hear"), (1, "hear")],
}


def played(port, story, dialect):
    clients, replies = [Wire(port, dialect) for _ in range(3)], []
    for who, what, *fields in story:
        if what == "close":
            clients[who].close()
        elif what == "hear":
            replies.append(clients[who].hear())
        else:
            replies.append(clients[who].say(what, *fields))
    for client in clients:
        client.close()
    return replies


@pytest.fixture(scope="module")
def answered():
    """torch's replies to a story, asked once for both of our servers. Its server takes seconds to start, so all stories use one server,
    each with its own keys."""
    kept, open_ones = {}, contextlib.ExitStack()
    ports = {}

    def answer(server, name, story, dialect):
        if (server, name) not in kept:
            if server not in ports:
                ports[server] = open_ones.enter_context(server())
            kept[server, name] = played(ports[server], story, dialect)
            cleared(ports[server], dialect)
        return kept[server, name]
    with open_ones:
        yield answer


def cleared(port, dialect):
    """Checks queues, which torch cannot list: no story leaves an item that another story reads."""
    wire = Wire(port, dialect)
    for key in ("a", "b", "c", "k", "n", "q", "w", "", "k" * 8192):
        wire.say("delete_key", key)
        while dialect is CURRENT and wire.say("queue_pop", key) != bytes(8):
            pass
    wire.close()


@pytest.mark.parametrize("name", STORIES)
def test_as_torch_answers(name, port, answered):
    assert played(port, STORIES[name], CURRENT) == answered(servers.torch, name, STORIES[name], CURRENT)


@pytest.mark.parametrize("name", OLD_STORIES)
def test_as_old_torch_answers(name, port, answered):
    if not servers.has_old_torch():
        pytest.skip("no torch 1.13 here")
    assert played(port, OLD_STORIES[name], OLD) == answered(servers.old_torch, name, OLD_STORIES[name], OLD)


# Intended differences; docs/design/torch-store.md has the reasons.
def test_no_key_wakes_nobody(port):
    assert played(port, [(0, "wait", ["k"]), (1, "compare_set", "k", "x", "n"), (0, "hear")], CURRENT) == [b"", text("x"), b""]


def test_a_new_wait_replaces_the_old(port):
    story = [(0, "wait", ["a"]), (0, "wait", ["b"]), (1, "set", "a", ""), (0, "hear"), (1, "set", "b", ""), (0, "hear")]
    assert played(port, story, CURRENT) == [b"", b"", b"", b"", b"", b"\0"]


def test_a_half_set_of_many_sets_nothing(port):
    wire, other = Wire(port), Wire(port)
    wire.half(wire.request("multi_set", [("a", "1"), ("b", "2")])[:-1])
    assert other.say("num_keys") == bytes(8)
    wire.half(b"2")
    assert wire.hear() == b"" and other.say("num_keys")[0] == 2
