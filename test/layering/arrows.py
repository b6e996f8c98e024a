# SPDX-License-Identifier: Apache-2.0
"""Which folder may include which, and where other people's headers end.

A folder says in its CMakeLists.txt which folders it includes (muster_folder, DEPENDS). Here that list is compared with the
includes, cycles are refused, and the houses below bound what a list may say at all.
"""

import re

from tree import Problem

EVERYTHING = object()
VALUES = ["core/base", "core/job", "core/rank", "core/port"]
RUNTIME = ["core/framework", "core/machine", "core/journal", "core/attempt", "core/output"]
# A folder belongs to the house with the longest name that it begins with; a house may include itself.
HOUSES = {
    "core/base": [],
    "core/rank": ["core/base"],
    "core/job": ["core/base"],
    "core/framework": ["core/base", "core/job"],
    "core/machine": ["core/base", "core/job", "core/rank"],
    "core/port": ["core/base", "core/job", "core/rank"],
    "core/journal": [*VALUES, "core/framework", "core/machine"],
    "core/attempt": [*VALUES, "core/framework", "core/machine", "core/journal"],
    "core/output": VALUES,
    "core/agent": [*VALUES, *RUNTIME],
    "core/coordinator": [*VALUES, *RUNTIME],
    "core/controller": [*VALUES, *RUNTIME, "core/coordinator"],
    "core/system": VALUES,
    "core/wire": [*VALUES, "core/system/asio", "core/system/posix", "proto"],
    "core/node": [*VALUES, "core/system"],
    "core/client": [*VALUES, "core/system", "core/wire"],
    "core/worker": ["core/base"],
    "backends": [*VALUES, "core/system", "core/wire", "core/client"],
    "launcher": EVERYTHING,
    "proto": [],
    "test/sim": [*VALUES, *RUNTIME, "core/agent", "core/coordinator", "core/controller", "backends/testing", "test/testing"],
    "test": EVERYTHING,
}
# A part that several backends share; it includes no backend.
SHARED_BY_BACKENDS = ("backends/arrivals",)
# The objects of libmuster's folders go into one library, and launcher/main.cc is the program.
WITHOUT_TARGET = ("core/worker/", "launcher/main.cc")
# What a backend's deciding files (backends/NAME/*_backend.h and .cc) may include besides their own backend.
SEEN_BY_DECISIONS = ("core/base", "core/job", "core/rank", "core/port", *SHARED_BY_BACKENDS)
OURS = ("core/", "backends/", "launcher/", "proto/", "test/")

# (what is included, where it may be, how to do without)
FENCES = [
    (r".*\.pb\.h$|grpcp?p?/|google/protobuf/", r"core/wire/|proto/",
     "protobuf and gRPC stop at core/wire; use the values of core/port"),
    (r"boost/", r"core/system/asio/", "Boost stops at core/system/asio; use core/port/loop.h and its neighbours"),
    (r"sqlite3\.h$", r"core/system/sqlite/", "SQL stops at core/system/sqlite; use core/port/job_store.h"),
    (r"spdlog/|fmt/", r"core/system/spdlog/", "spdlog stops at core/system/spdlog; use core/base/log.h"),
    (r"hwloc", r"core/system/hwloc/", "hwloc stops at core/system/hwloc; use core/port/machine_info.h"),
    (r"nvml", r"core/system/nvml/", "NVML stops at core/system/nvml; use core/port/machine_info.h"),
    (r"openssl/|zlib\.h$", r"core/(system|wire)/|backends/ssh/session/|backends/kubernetes/pod/|examples/",
     "libraries stop at core/system and core/wire; ask a port"),
    (r"(lib|g)elf\.h$|elfutils/", r"core/system/linux/examine/",
     "libelf stops at core/system/linux/examine; use core/system/linux/examine/elf_symbols.h"),
    (r"zstd\.h$", r"backends/ssh/session/", "zstd stops at backends/ssh/session; use backends/ssh/session/zstd.h"),
    (r"gloo/", r"core/worker/collective/gloo_plugin/|test/bench/",
     "Gloo stops at libmuster_gloo.so; use core/worker/collective/gloo_abi.h"),
    (r"yaml-cpp/", r"core/job/document/yaml_document\.cc$|core/client/view/yaml\.cc$",
     "yaml-cpp is for one reader and one printer; use core/job/document/yaml_document.h or core/client/view/json.h"),
    (r"nlohmann/", r".*\.cc$", "nlohmann-json only in .cc files (it is slow to compile); pass our own values in headers"),
]


def folder_of(path):
    return path.rpartition("/")[0]


def house_of(path):
    """The house a path belongs to, or None."""
    found = [house for house in HOUSES if path == house or path.startswith(house + "/")]
    return max(found, key=len, default=None)


def backend_of(path):
    """`backends/ssh` for backends/ssh/hosts/x.h; None outside backends."""
    parts = path.split("/")
    return "/".join(parts[:2]) if parts[0] == "backends" else None


def is_for_tests(path):
    return path.startswith("test/") or "/testing/" in path or bool(re.search(r"_(test|fakes|fixture)\.h$", path))


def may_include(here, there):
    """Why a file at `here` may not include `there`, by their houses; or None."""
    house, target = house_of(here), house_of(there)
    if house is None or target is None or HOUSES[house] is EVERYTHING:
        return None
    own, other = backend_of(here), backend_of(there)
    if own and re.search(r"_backend\.(h|cc)$", here) and not is_test(here) and own != other:
        if not any(there.startswith(name + "/") for name in SEEN_BY_DECISIONS) and not is_for_tests(there) and "/testing/" not in here:
            return f"the file that decides for {own} sees ports only, not {there}: a part of the backend does the work"
    if own and other and own != other and other not in SHARED_BY_BACKENDS and not is_for_tests(there):
        return f"{own} may not include {other}; what both need belongs to a port, to the agent or to {', '.join(SHARED_BY_BACKENDS)}"
    allowed = HOUSES[house]
    if house == target or any(there == name or there.startswith(name + "/") for name in allowed):
        return None
    return f"{house} may include {', '.join(allowed) or 'nothing of ours'}, not {target}; see docs/design/architecture.md"


def is_test(path):
    return bool(re.search(r"_(test|fuzz|bench|fakes|fixture)\.(cc|h)$", path))


def check_houses(files):
    for file in files:
        if not file.is_cpp:
            continue
        for line, included in file.includes():
            if included.startswith(OURS) and not is_test(file.path) and not is_for_tests(file.path):
                reason = may_include(file.path, included)
                if reason:
                    yield Problem(file.path, line, "arrow", reason)
            for pattern, allowed, hint in FENCES:
                if re.match(pattern, included) and not re.match(allowed, file.path):
                    yield Problem(file.path, line, "fence", f"<{included}>: {hint}")


def listed_folders(files):
    """folder → (line of its muster_folder, DEPENDS, TEST_DEPENDS)."""
    found = {}
    for file in files:
        if not file.path.endswith("CMakeLists.txt"):
            continue
        call = re.search(r"^\s*muster_folder\(([^)]*)\)", file.text, re.MULTILINE)
        if call:
            lists = {"DEPENDS": [], "TEST_DEPENDS": []}
            kind = None
            for word in call.group(1).split():
                if word in ("DEPENDS", "TEST_DEPENDS", "LIBRARIES", "TEST_LIBRARIES"):
                    kind = word
                elif kind in lists:
                    lists[kind].append(word)
            line = file.text[:call.start(1)].count("\n") + 1
            found[folder_of(file.path)] = (line, lists["DEPENDS"], lists["TEST_DEPENDS"])
    return found


def included_folders(files):
    """folder → other folder → (path, line) of the first include that needs it, without tests."""
    found = {}
    for file in files:
        if not file.is_cpp or is_test(file.path):
            continue
        for line, included in file.includes():
            here, there = folder_of(file.path), folder_of(included)
            if included.startswith(OURS) and here != there and there != "proto":
                found.setdefault(here, {}).setdefault(there, (file.path, line))
    return found


def check_lists(files):
    """What a folder includes and what its CMakeLists.txt lists are the same."""
    listed, included = listed_folders(files), included_folders(files)
    for folder, (line, depends, test_depends) in listed.items():
        place = f"{folder}/CMakeLists.txt"
        for there, (path, at) in sorted(included.get(folder, {}).items()):
            if there not in depends:
                yield Problem(path, at, "arrow", f"{folder} does not list {there} in DEPENDS of {place}")
        for name in depends:
            if name not in included.get(folder, {}):
                yield Problem(place, line, "arrow", f"{folder} lists {name} and includes nothing of it")
        for name in [*depends, *test_depends]:
            if name not in listed:
                yield Problem(place, line, "arrow", f"{name} is no folder with a muster_folder of its own")


def check_targets(files):
    """Every folder of core, backends and launcher has a target of its own, and every house of core is known."""
    listed = listed_folders(files)
    built = any(file.path == "CMakeLists.txt" for file in files)
    folders = {}
    for file in files:
        if file.is_cpp and file.path.startswith(("core/", "backends/", "launcher/")) and not is_test(file.path):
            folders.setdefault(folder_of(file.path), file.path)
    for folder, path in sorted(folders.items()):
        if house_of(path) is None:
            yield Problem(path, 1, "arrow", f"{folder} belongs to no house: say in HOUSES of test/layering/arrows.py what it may include")
        if built and folder not in listed and not path.startswith(WITHOUT_TARGET):
            yield Problem(path, 1, "arrow", f"{folder} has no muster_folder in a CMakeLists.txt of its own")


def cycle_in(graph):
    """The folders of one cycle, in order; empty: there is none."""
    done, path = set(), []

    def visit(folder):
        if folder in path:
            return path[path.index(folder):] + [folder]
        if folder in done:
            return []
        path.append(folder)
        for there in sorted(graph.get(folder, {})):
            found = visit(there)
            if found:
                return found
        path.pop()
        done.add(folder)
        return []

    for folder in sorted(graph):
        found = visit(folder)
        if found:
            return found
    return []


def check_cycles(files):
    graph = {here: there for here, there in included_folders(files).items() if house_of(here) != "test"}
    cycle = cycle_in(graph)
    if cycle:
        path, line = graph[cycle[0]][cycle[1]]
        yield Problem(path, line, "cycle", "folders include each other: " + " → ".join(cycle))


def check(files):
    yield from check_houses(files)
    yield from check_lists(files)
    yield from check_targets(files)
    yield from check_cycles(files)
