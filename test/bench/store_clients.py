# SPDX-License-Identifier: Apache-2.0
"""store_clients.py FOLDER CLIENTS COUNT PORT: torch's TCPStore client against the store at PORT, each client a process.

Like store_torch.py, but with a server that is already running: the same client is used for both sides. `set` has no reply and fills a pipe;
`set+get` has a reply. `wake` is the time from a client's set to the return of another client's wait.
"""

import functools
import os
import sys
import time
from datetime import timedelta

from torch.distributed import TCPStore

from store_torch import VALUE, barrier
from torch_report import calls, loop, write

# A set has no reply and takes a microsecond. With the count of the others, one time slice would decide the result.
PIPED = 20


def wakes(store, rank, count):
    """Pairs: the even client sets the time, the odd one reports how long ago that was when its wait returned."""
    took, peer = [], rank // 2
    for turn in range(count):
        key = f"wake {peer} {turn}"
        if rank % 2 == 0:
            store.wait([key + " ready"])
            store.set(key, str(time.monotonic_ns()))
        else:
            store.set(key + " ready", "")
            store.wait([key])
            now = time.monotonic_ns()
            took.append(now - int(store.get(key)))
    return took


def client(folder, rank, clients, count, port):
    store = TCPStore("127.0.0.1", port, is_master=False, wait_for_workers=False, timeout=timedelta(seconds=120))
    key, lines = f"key{rank}", []
    put, get = functools.partial(store.set, key, VALUE), functools.partial(store.get, key)
    add = functools.partial(store.add, f"counter{rank}", 1)

    def both():
        put()
        get()
    for name, call, after, times in (("set", put, get, PIPED * count), ("set+get", both, None, count), ("get", get, None, count),
                                     ("add", add, None, count)):
        barrier(store, f"{name} loop", clients)
        loop(lines, name, call, times, after)
        barrier(store, f"{name} calls", clients)
        calls(lines, name, call, times // 2)
    barrier(store, "wake", clients)
    took = wakes(store, rank, count // 8) if clients > 1 else []
    if took:
        lines.append(f"calls wake {' '.join(map(str, took))}")
    write(folder, rank, lines)
    barrier(store, "end", clients)
    os._exit(0)


def main(folder, clients, count, port):
    children = []
    for rank in range(clients):
        child = os.fork()
        if child == 0:
            client(folder, rank, clients, count, port)
        children.append(child)
    failed = [child for child in children if os.waitpid(child, 0)[1] != 0]
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
