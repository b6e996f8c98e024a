# SPDX-License-Identifier: Apache-2.0
"""Requests of the API server that a job causes, from its audit log."""

import json
import time
from collections import Counter

from pod_sides import remove
from pods import AGAIN, FIRST
from waiting import wait_for

QUIET = 3  # seconds without a request for a job that has ended: that was all of it


def belongs(request, namespace):
    """Those about its namespace, and what the commands ask the server about itself. `watcher` is who waits here."""
    if request.get("impersonatedUser"):
        return False
    in_namespace = request.get("objectRef", {}).get("namespace") == namespace.name
    return in_namespace or request["userAgent"].startswith("kubectl")


def what(request):
    """Who asked for what: ("kubelet", "patch pods/status")."""
    about = request.get("objectRef", {})
    kind = "/".join(about[key] for key in ("resource", "subresource") if about.get(key)) or request["requestURI"].partition("?")[0]
    return request["userAgent"].partition("/")[0], f"{request['verb']} {kind}"


def watch(namespace, *words):
    return namespace.kubectl("--as=watcher", "--as-group=system:masters", *words)


def until_quiet(read, patience):
    """When `read()` has been the same for a while."""
    state = {"seen": read(), "since": time.monotonic()}

    def quiet():
        if (now := read()) != state["seen"]:
            state.update(seen=now, since=time.monotonic())
        return time.monotonic() - state["since"] > QUIET
    wait_for(quiet, "requests to end", patience)


class Count:
    """Of the requests from here on that belong to a namespace; those of `but` are nobody's of a real cluster."""

    def __init__(self, namespace, patience=AGAIN, but=""):
        self.namespace, self.patience, self.but = namespace, patience, but
        self.path = namespace.cluster.folder / "log/audit"
        self.offset = self.path.stat().st_size
        self.found = {}  # by their number in the log, each once: (who, what)

    def so_far(self):
        with open(self.path, "rb") as log:
            log.seek(self.offset)
            for line in log:
                if not line.endswith(b"}\n"):
                    break  # half of one
                self.offset += len(line)
                request = json.loads(line)
                if belongs(request, self.namespace) and not (self.but and request["userAgent"].startswith(self.but)):
                    self.found[request["auditID"]] = what(request)
        return self.found

    def total(self):
        """{(who, what): count}, once no more come."""
        until_quiet(lambda: len(self.so_far()), self.patience)
        return Counter(self.found.values())


def of_a_job(side):
    """{(who, what): count} from the command to the job's end by itself."""
    side.prepare()
    namespace = side.place.namespace
    count = Count(namespace)
    try:
        side.submit()
        watch(namespace, "wait", f"--for=condition={side.ended}", f"{side.kind}/{side.name}", f"--timeout={FIRST}s")
        return count.total()
    finally:
        remove(side)


def table(ours, theirs):
    """Lines: each kind of request, ours and theirs; by who asks, the largest difference first."""
    def line(name, one, other):
        return f"  {name:<44}{one:>7}{other:>7}"
    yield line("requests by who and what", "ours", "rival")
    for who in sorted({who for who, _ in ours | theirs}):
        mine, others = ({kind: count for (name, kind), count in found.items() if name == who} for found in (ours, theirs))
        yield line(who, sum(mine.values()), sum(others.values()))
        for kind in sorted(mine | others, key=lambda kind: (others.get(kind, 0) - mine.get(kind, 0), kind)):
            yield line(f"    {kind}", mine.get(kind, 0), others.get(kind, 0))
