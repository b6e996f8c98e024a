"""Which floor may include which, and where other people's headers end. The table of docs/ARCHITECTURE.md as data."""

import re

from tree import Problem

EVERYTHING = object()
FLOORS = {
    "core/base": [],
    "core/model": ["core/base"],
    "core/framework": ["core/base", "core/model"],
    "core/machine": ["core/base", "core/model"],
    "core/port": ["core/base", "core/model"],
    "core/runtime": ["core/base", "core/model", "core/framework", "core/machine", "core/port"],
    "core/adapter": ["core/base", "core/model", "core/port", "proto"],
    "core/worker": ["core/base"],
    "backends": ["core/base", "core/model", "core/port"],
    "launcher": EVERYTHING,
    "proto": [],
    "test/sim": ["core/base", "core/model", "core/framework", "core/port", "core/runtime"],
    "test": EVERYTHING,
}
OURS = ("core/", "backends/", "launcher/", "proto/", "test/")

# (what is included, where it may be, how to do without)
FENCES = [
    (r".*\.pb\.h$|grpcp?p?/|google/protobuf/", r"core/adapter/grpc/|proto/",
     "protobuf and gRPC stop at core/adapter/grpc; use the values of core/port"),
    (r"boost/", r"core/adapter/asio/", "Boost stops at core/adapter/asio; use core/port/loop.h and its neighbours"),
    (r"sqlite3\.h$", r"core/adapter/sqlite/", "SQL stops at core/adapter/sqlite; use core/port/job_store.h"),
    (r"spdlog/|fmt/", r"core/adapter/spdlog/", "spdlog stops at core/adapter/spdlog; use core/base/log.h"),
    (r"CLI/", r"launcher/", "CLI11 is the launcher's; take values as arguments"),
    (r"hwloc", r"core/adapter/hwloc/", "hwloc stops at core/adapter/hwloc; use core/port/machine_info.h"),
    (r"nvml", r"core/adapter/nvml/", "NVML stops at core/adapter/nvml; use core/port/machine_info.h"),
    (r"openssl/|zlib\.h$", r"core/adapter/|launcher/|examples/", "libraries stop at core/adapter; ask a port"),
    (r"gloo/", r"core/worker/collective/gloo_plugin/|test/bench/", "Gloo stops at libmuster_gloo.so; use core/worker/collective/gloo_abi.h"),
    (r"yaml-cpp/", r"core/model/[^.]*\.cc$", "yaml-cpp is one .cc of core/model; use core/job/file/job_yaml.h"),
    (r"nlohmann/", r".*\.cc$", "nlohmann-json only in .cc files (it is slow to compile); pass our own values in headers"),
]


def floor_of(path):
    """The floor a path stands on, or None."""
    found = [floor for floor in FLOORS if path == floor or path.startswith(floor + "/")]
    return max(found, key=len, default=None)


def backend_of(path):
    """`local` for backends/local/x.h; None for files of backends/ itself, which list them all."""
    parts = path.split("/")
    return parts[1] if parts[0] == "backends" and len(parts) > 2 else None


def may_include(here, there):
    """Why a file at `here` may not include `there`, or None."""
    floor, target = floor_of(here), floor_of(there)
    if floor is None or target is None or FLOORS[floor] is EVERYTHING:
        return None
    if floor == target:
        own, other = backend_of(here), backend_of(there)
        if None in (own, other) or own == other or (other == "testing" and "_test." in here):
            return None
        return f"backend {own} may not include backend {other}; what both need belongs to a port or to the agent"
    if target in FLOORS[floor]:
        return None
    if "/testing/" in there and (here.startswith("test/") or here.endswith(("_test.cc", "_test.h"))):
        return None  # scripted fakes and conformance suites are for every test
    if there.startswith("test/") and here.endswith(("_test.cc", "_test.h")):
        return None  # the simulated loop and its like
    return f"{floor} may include {', '.join(FLOORS[floor]) or 'nothing of ours'}, not {target}; see docs/ARCHITECTURE.md"


def check_includes(files):
    for file in files:
        if not file.is_cpp:
            continue
        for line, included in file.includes():
            reason = may_include(file.path, included) if included.startswith(OURS) else None
            if reason:
                yield Problem(file.path, line, "arrow", reason)
            for pattern, allowed, hint in FENCES:
                if re.match(pattern, included) and not re.match(allowed, file.path):
                    yield Problem(file.path, line, "fence", f"<{included}>: {hint}")


def check_single_yaml(files):
    users = [file for file in files if file.is_cpp and any(name.startswith("yaml-cpp/") for _, name in file.includes())]
    for file in users[1:]:
        yield Problem(file.path, 1, "fence", f"yaml-cpp is included by {users[0].path} already; one .cc is enough")


def modules_of(files):
    """CMake target → folder, for every muster_module."""
    found = {}
    for file in files:
        if file.path.endswith("CMakeLists.txt"):
            for name in re.findall(r"^\s*muster_module\(\s*([\w-]+)", file.text, re.MULTILINE):
                found[name] = file.path.rpartition("/")[0]
    return found


def check_cmake(files):
    """The targets a module depends on follow the same arrows."""
    modules = modules_of(files)
    for file in files:
        if not file.path.endswith("CMakeLists.txt"):
            continue
        for call in re.finditer(r"^\s*(muster_module|target_link_libraries)\(([^)]*)\)", file.text, re.MULTILINE):
            line = file.text[:call.start(1)].count("\n") + 1
            depends = re.search(r"\bDEPENDS\b(.*?)(?:\bLIBRARIES\b|$)", call.group(2), re.DOTALL)
            names = (depends.group(1).split() if depends else []) + re.findall(r"muster::([\w-]+)", call.group(2))
            for name in names:
                reason = may_include(file.path, modules[name] + "/x.h") if name in modules else None
                if reason:
                    yield Problem(file.path, line, "arrow", f"target {name}: {reason}")


def check(files):
    yield from check_includes(files)
    yield from check_single_yaml(files)
    yield from check_cmake(files)
