"""Requests of the API server that a job causes, from its audit log."""

import json
import time

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


def who(request):
    return request["userAgent"].partition("/")[0]


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


def of_a_job(side):
    """{who: count} from the command to the job's end by itself."""
    side.prepare()
    cluster, namespace = side.place.namespace.cluster, side.place.namespace
    offset = (cluster.folder / "log/audit").stat().st_size

    def mine():
        return {request["auditID"]: who(request) for request in requests_since(cluster, offset) if belongs(request, namespace)}
    try:
        side.submit()
        watch(namespace, "wait", f"--for=condition={side.ended}", f"{side.kind}/{side.name}", f"--timeout={FIRST}s")
        until_quiet(lambda: len(mine()))
        agents = list(mine().values())
    finally:
        remove(side)
    return {agent: agents.count(agent) for agent in sorted(set(agents))}
