# SPDX-License-Identifier: Apache-2.0
"""API server requests that a job causes, from the audit log."""

import json
import time
from collections import Counter

from pod_sides import remove
from pods import AGAIN, FIRST
from waiting import wait_for

QUIET = 3  # seconds without a request after the job's end: then all are counted


def belongs(request, namespace):
    """Requests about its namespace, and about the server itself by commands. `watcher`: the client that waits here."""
    if request.get("impersonatedUser"):
        return False
    in_namespace = request.get("objectRef", {}).get("namespace") == namespace.name
    return in_namespace or request["userAgent"].startswith("kubectl")


def what(request):
    """Client and request: ("kubelet", "patch pods/status")."""
    about = request.get("objectRef", {})
    kind = "/".join(about[key] for key in ("resource", "subresource") if about.get(key)) or request["requestURI"].partition("?")[0]
    return request["userAgent"].partition("/")[0], f"{request['verb']} {kind}"


def watch(namespace, *words):
    return namespace.kubectl("--as=watcher", "--as-group=system:masters", *words)


def until_quiet(read, patience):
    """The value of `read()` once it has not changed for a while."""
    state = {"seen": read(), "since": time.monotonic()}

    def quiet():
        if (now := read()) != state["seen"]:
            state.update(seen=now, since=time.monotonic())
        return time.monotonic() - state["since"] > QUIET
    wait_for(quiet, "requests to end", patience)


class Count:
    """Counts the requests from now on that belong to a namespace. `but`: clients that a real cluster does not have."""

    def __init__(self, namespace, patience=AGAIN, but=""):
        self.namespace, self.patience, self.but = namespace, patience, but
        self.path = namespace.cluster.folder / "log/audit"
        self.offset = self.path.stat().st_size
        self.found = {}  # by id in the log, each once: (client, request)

    def so_far(self):
        with open(self.path, "rb") as log:
            log.seek(self.offset)
            for line in log:
                if not line.endswith(b"}\n"):
                    break  # an incomplete line
                self.offset += len(line)
                request = json.loads(line)
                if belongs(request, self.namespace) and not (self.but and request["userAgent"].startswith(self.but)):
                    self.found[request["auditID"]] = what(request)
        return self.found

    def total(self):
        """{(client, request): count}, once no more arrive."""
        until_quiet(lambda: len(self.so_far()), self.patience)
        return Counter(self.found.values())


def of_a_job(side):
    """{(client, request): count} from the command until the job has ended by itself."""
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
    """Lines with each kind of request of both sides, by client, the largest difference first."""
    def line(name, one, other):
        return f"  {name:<44}{one:>7}{other:>7}"
    yield line("requests by who and what", "ours", "rival")
    for who in sorted({who for who, _ in ours | theirs}):
        mine, others = ({kind: count for (name, kind), count in found.items() if name == who} for found in (ours, theirs))
        yield line(who, sum(mine.values()), sum(others.values()))
        for kind in sorted(mine | others, key=lambda kind: (others.get(kind, 0) - mine.get(kind, 0), kind)):
            yield line(f"    {kind}", mine.get(kind, 0), others.get(kind, 0))
