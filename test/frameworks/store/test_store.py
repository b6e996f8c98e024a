# SPDX-License-Identifier: Apache-2.0
"""torch's own clients with muster's store, compared with torch's store."""

import os
import subprocess
import sys
import threading
from datetime import timedelta

import pytest
import servers
from torch.distributed import DistStoreError, PrefixStore, TCPStore

RANK = """
import sys, torch, torch.distributed as dist
torch.set_num_threads(1)
dist.init_process_group("gloo")
x = torch.ones(1) * (dist.get_rank() + 1)
dist.all_reduce(x)
dist.barrier()
print(int(x.item()), flush=True)
"""
OLD_CLIENT = """
import sys, threading
from datetime import timedelta
from torch.distributed import TCPStore
port = int(sys.argv[1])
a, b = (TCPStore("127.0.0.1", port, None, False, wait_for_workers=False) for _ in range(2))
a.set("k", "v")
assert b.get("k") == b"v" and b.add("n", 5) == 5 and b.add("n", 2) == 7
assert a.compare_set("k", "v", "w") == b"w" and a.compare_set("k", "v", "x") == b"w"
assert a.num_keys() == 2 and a.delete_key("n") and not a.delete_key("n")
waiter = threading.Thread(target=lambda: a.wait(["late"], timedelta(seconds=20)))
waiter.start()
b.set("late", "")
waiter.join()
try:
    a.wait(["never"], timedelta(milliseconds=50))
    sys.exit("waited for nothing")
except RuntimeError:
    pass
assert a.get("k") == b"w"  # it has given up that wait: what others set now does not disturb it
b.set("never", "1")
assert a.get("k") == b"w" and a.add("n", 1) == 1
print("good")
"""


def client(port, seconds=20):
    return TCPStore("127.0.0.1", port, is_master=False, wait_for_workers=False, timeout=timedelta(seconds=seconds))


@pytest.fixture(params=["ours", "front_end", "torch"])
def any_port(request):
    """Runs the same assertions also with torch's server, to check the assertions."""
    with getattr(servers, request.param)() as port:
        yield port


def test_every_call(any_port):
    store = client(any_port)
    store.set("k", "v" * 100)
    assert store.get("k") == b"v" * 100
    assert store.add("n", 5) == 5 and store.add("n", -7) == -2
    assert store.check(["k", "n"]) and not store.check(["k", "none"])
    assert store.compare_set("k", "other", "w") == b"v" * 100
    store.append("k", "w")
    assert store.get("k") == b"v" * 100 + b"w"
    store.multi_set(["a", "b"], ["1", "2"])
    assert store.multi_get(["b", "a"]) == [b"2", b"1"]
    assert store.num_keys() == 4 and sorted(store.list_keys()) == ["a", "b", "k", "n"]
    assert store.delete_key("a") and not store.delete_key("a")
    store.barrier("all", 1)
    assert PrefixStore("of", store).add("n", 1) == 1


def test_queues(any_port):
    store, other = client(any_port), client(any_port)
    store.queue_push("q", "1")
    store.queue_push("q", "2")
    assert store.queue_len("q") == 2 and other.queue_pop("q") == b"1" and other.queue_pop("q", False) == b"2"
    with pytest.raises(Exception, match="empty"):
        store.queue_pop("q", False)
    got = []
    popper = threading.Thread(target=lambda: got.append(other.queue_pop("q")))
    popper.start()
    store.queue_push("q", "3")
    popper.join()
    assert got == [b"3"]


def test_a_wait_that_runs_out_leaves_the_client_well(any_port):
    store, other = client(any_port), client(any_port)
    for _ in range(3):
        with pytest.raises(DistStoreError):
            store.wait(["late"], timedelta(milliseconds=20))
    other.set("late", "1")
    assert store.get("late") == b"1" and store.add("n", 1) == 1


def test_barriers_of_threads(any_port):
    stores = [client(any_port) for _ in range(8)]

    def meet(store):
        for turn in range(20):
            store.barrier(f"turn {turn}", len(stores))
    threads = [threading.Thread(target=meet, args=(store,)) for store in stores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert stores[0].get("turn 19") == b"8"


def test_many_write_and_wait_for_each_other(any_port):
    stores = [client(any_port) for _ in range(12)]

    def exchange(rank, store):
        store.set(f"rank {rank}", str(rank) * 1000)
        for peer in range(len(stores)):
            assert store.get(f"rank {peer}") == (str(peer) * 1000).encode()
    errors = []

    def caught(rank, store):
        try:
            exchange(rank, store)
        except BaseException as error:
            errors.append(error)
    threads = [threading.Thread(target=caught, args=each) for each in enumerate(stores)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


def test_torch_113(port):
    if not servers.has_old_torch():
        pytest.skip("no torch 1.13 here")
    done = subprocess.run([servers.OLD_TORCH, "-c", OLD_CLIENT, str(port)], capture_output=True, text=True, check=False, timeout=60)
    assert done.stdout == "good\n", done.stderr


@pytest.mark.parametrize("interpreter", ["torch 2.15", "torch 1.13"])
def test_ranks_find_each_other(port, interpreter):
    if interpreter == "torch 1.13" and not servers.has_old_torch():
        pytest.skip("no torch 1.13 here")
    python = servers.OLD_TORCH if interpreter == "torch 1.13" else sys.executable
    # torch 1.13 reads the restart count if the agent serves the store.
    names = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "WORLD_SIZE": "3", "OMP_NUM_THREADS": "1",
             "TORCHELASTIC_USE_AGENT_STORE": "True", "TORCHELASTIC_RESTART_COUNT": "0"}
    ranks = [subprocess.Popen([python, "-c", RANK], env=os.environ | names | {"RANK": str(rank)}, stdout=subprocess.PIPE, text=True)
             for rank in range(3)]
    assert [rank.communicate(timeout=100)[0] for rank in ranks] == ["6\n"] * 3


