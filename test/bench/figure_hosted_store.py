# SPDX-License-Identifier: Apache-2.0
"""hosted_store: the torch store of the agents compared with torch's own server, with the same clients."""

import contextlib
import re
import subprocess
import sys
from pathlib import Path

from sides import Failed, environment, in_turns, median, per_second, percentile, report_folder, reports_in, run
from table import Row, Table, duration, rate

# Clients: operations of each. Few, but many rounds: the scheduler's placement of clients and server changes in each round, and differs more
# between rounds than anything within one.
COUNTS = {1: 6000, 4: 2500, 16: 800, 64: 300}
ROUNDS = 12
CALLS = ("set", "set+get", "get", "add")
PIPED = "set"  # it has no reply, so it measures only the client; without a target
RANKS, KEYS = 2000, 20000
# torch's server looks up the name of each client's address. If the name server does not answer, this takes 5 s each;
# so it waits 1 s, once.
HASTY_RESOLVER = {"RES_OPTIONS": "timeout:1 attempts:1"}


@contextlib.contextmanager
def served(words):
    """(pid, port) of a server that runs until its stdin is closed."""
    process = subprocess.Popen([str(word) for word in words], env=environment(**HASTY_RESOLVER), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True)
    try:
        line = process.stdout.readline()
        if not line:
            raise Failed(f"{words[0]} did not serve")
        yield process.pid, int(line)
    finally:
        process.stdin.close()
        process.wait()
        process.stdout.close()


def servers_of(here):
    return {"ours": [here.muster.parent / "muster_store_server"], "theirs": [here.torch, here.root / "test/bench/store_server.py"]}


def with_noise(servers):
    """Measures the rival a second time."""
    return servers | {"again": servers["theirs"]}


def calls(here, words, clients):
    with report_folder() as folder, served(words) as (_, port):
        run([here.torch, here.root / "test/bench/store_clients.py", folder, clients, COUNTS[clients], port], environment())
        return reports_in(folder, clients)


def memory(pid):
    """{"Rss": bytes, "Pss": bytes}"""
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return {name: int(size) * 1024 for name, size in re.findall(r"^(Rss|Pss): +(\d+) kB", rollup, re.MULTILINE)}


def ranks(here, words):
    """Seconds for many ranks, and the server's memory before them, with them, and with their keys."""
    with served(words) as (pid, port):
        empty = memory(pid)
        many = [sys.executable, here.root / "test/bench/store_ranks.py", port, RANKS, KEYS]
        process = subprocess.Popen([str(word) for word in many], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            took = process.stdout.readline()
            if not took or process.stdout.readline() != "there\n":
                raise Failed(f"{RANKS} ranks did not pass")
            return {"took": float(took), "empty": empty, "full": memory(pid)}
        finally:
            process.stdin.close()
            process.wait()
            process.stdout.close()


def call_rows(clients, results):
    def of_each(what):
        return [median([what(reports) for reports in results[side]]) for side in ("ours", "theirs", "again")]
    label = f"{clients} client{'s' if clients > 1 else ''}"
    for name in CALLS:
        ours, theirs, again = of_each(lambda reports, n=name: per_second(reports, n))
        yield Row(f"{label}: {name}", ours, theirs, rate("op/s"), None if name == PIPED else 1.0, again=again)
    for name in CALLS + (("wake",) if clients > 1 else ()):
        for share, target in ((0.5, None), (0.99, None if name == PIPED else 1.0)):
            ours, theirs, again = of_each(lambda reports, n=name, s=share: percentile(told(reports, n), n, s))
            yield Row(f"{label}: {name} p{share * 100:.0f}", ours, theirs, duration, target, at_most=True, again=again)


def told(reports, name):
    """The reports that have this call."""
    return [report for report in reports if name in report.calls]


def size(number):
    return f"{number / 2**20:.1f} MiB"


def rank_rows(results):
    def of(side, what):
        return median([what(result) for result in results[side]])

    def row(label, what, show, target):
        return Row(label, of("ours", what), of("theirs", what), show, target, at_most=True)
    yield row(f"{RANKS} ranks: all have met", lambda result: result["took"], duration, 0.5)
    yield row("server, empty: RSS", lambda result: result["empty"]["Rss"], size, 1.0)
    yield row(f"server, {RANKS} ranks and {KEYS} keys of 100 B: RSS", lambda result: result["full"]["Rss"], size, 1.0)
    yield row("  PSS", lambda result: result["full"]["Pss"], size, 1.0)
    yield row("  growth of RSS", lambda result: result["full"]["Rss"] - result["empty"]["Rss"], size, 1.0)


def measure(here, say):
    if not here.torch:
        return "hosted_store: no torch 2.15 here, so there is nothing to compare with"
    rounds, found, servers = here.rounds or ROUNDS, [], servers_of(here)
    for clients in COUNTS:
        sides = {side: lambda w=words, n=clients: calls(here, w, n) for side, words in with_noise(servers).items()}
        found += call_rows(clients, in_turns(rounds, sides, lambda text, n=clients: say(f"{n} clients, {text}")))
    sides = {side: lambda w=words: ranks(here, w) for side, words in servers.items()}
    found += rank_rows(in_turns(rounds, sides, lambda text: say(f"{RANKS} ranks, {text}")))
    return Table(f"hosted_store: the store that agents host for torch, values of 100 B; medians of {rounds}\n"
                 "  rival: torch 2.15 TCPStore (libuv) in a process of its own; torch's C++ client, called from Python, for both;\n"
                 f"  the {RANKS} ranks are one process that speaks the protocol, for both.\n"
                 "  A set is not acknowledged: `set` fills a pipe and measures the client; set+get is one that is answered\n"
                 "  Names are resolved with RES_OPTIONS=timeout:1 attempts:1, which is kind to the rival", found)
