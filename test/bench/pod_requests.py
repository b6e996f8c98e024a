"""Requests of the API server that a job causes, from its audit log."""

import json
import time
from collections import Counter

from pod_sides import remove
from pods import AGAIN, FIRST
from waiting import wait_for

QUIET = 3  # seconds without a request for a job that has ended: that was all of it


def requests_since(cluster, offset):
    with open(cluster.folder / "log/audit") as log:
        log.seek(offset)
        return [json.loads(line) for line in log.read().splitlines() if line.endswith("}")]


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


def until_quiet(read):
    """When `read()` has been the same for a while."""
    state = {"seen": read(), "since": time.monotonic()}

    def quiet():
        if (now := read()) != state["seen"]:
            state.update(seen=now, since=time.monotonic())
        return time.monotonic() - state["since"] > QUIET
    wait_for(quiet, "requests to end", AGAIN)


class Count:
    """Of the requests from here on that belong to a namespace."""

    def __init__(self, namespace):
        self.namespace, self.offset = namespace, (namespace.cluster.folder / "log/audit").stat().st_size

    def so_far(self):
        """By their number in the log, each once: {number: (who, what)}."""
        found = requests_since(self.namespace.cluster, self.offset)
        return {request["auditID"]: what(request) for request in found if belongs(request, self.namespace)}

    def total(self):
        """{(who, what): count}, once no more come."""
        until_quiet(lambda: len(self.so_far()))
        return Counter(self.so_far().values())


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
