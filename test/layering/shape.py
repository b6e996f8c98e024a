# SPDX-License-Identifier: Apache-2.0
"""How large a folder, an interface and a class may be, and that no symbol of another library is taken or redefined."""

import re
import shutil
import subprocess

from arrows import folder_of, is_for_tests, is_test
from tree import Problem

MOST_SOURCES = 40
MOST_METHODS = 8
MOST_README_LINES = 10
OTHER_FOLDERS = re.compile(r"(proto|cmake|scripts|test/[^/]+|test(?=/[^/]+$))/")


def check_folders(files):
    sources = {}
    for file in files:
        if file.is_cpp and not is_test(file.path) and not is_for_tests(file.path):
            sources.setdefault(folder_of(file.path), []).append(file.path)
    for folder, paths in sources.items():
        if len(paths) > MOST_SOURCES:
            yield Problem(paths[0], 1, "folder", f"{folder} has {len(paths)} source files, {MOST_SOURCES} at most: find the second subject in it")


def check_readmes(files):
    """Every folder with a target of its own, and every folder of OTHER_FOLDERS, says what belongs there, in a few lines."""
    readmes = {folder_of(file.path): file for file in files if file.path.endswith("/README.md")}
    first = {}
    for file in files:
        has_target = re.match(r"(core|backends|launcher)\b.*/CMakeLists\.txt$", file.path) and "muster_folder(" in file.text
        other = OTHER_FOLDERS.match(file.path)
        if has_target or other:
            first.setdefault(other.group(1) if other else folder_of(file.path), file)
    for folder, file in first.items():
        readme = readmes.get(folder)
        if readme is None:
            yield Problem(file.path, 1, "readme", f"{folder} has no README.md: say what belongs there and what does not")
        elif readme.text.count("\n") > MOST_README_LINES:
            yield Problem(readme.path, 1, "readme", f"{MOST_README_LINES} lines at most: what belongs here and what does not")


def check_interfaces(files):
    for file in files:
        if not file.path.endswith(".h"):
            continue
        code = "\n".join(file.code_lines)
        for found in re.finditer(r"^ *(?:class|struct) (\w+)[^;{]*\{(.*?)^ *\};", code, re.MULTILINE | re.DOTALL):
            methods = len(re.findall(r"\bvirtual\b[^;{]*=\s*0\s*;", found.group(2)))
            if methods > MOST_METHODS:
                line = code[:found.start(1)].count("\n") + 1
                yield Problem(file.path, line, "interface",
                              f"{found.group(1)} has {methods} methods, {MOST_METHODS} at most: split it by who calls what")


def classes_by_file(root, paths):
    """class → files that define a member function of it, by universal-ctags."""
    command = [shutil.which("ctags") or "ctags", "--options=NONE", "-f", "-", "--sort=no", "--fields=+neKs", "--languages=C++",
               "--kinds-C++=f", "-L", "-"]
    done = subprocess.run(command, cwd=root, input="\n".join(paths), capture_output=True, text=True, check=True)
    found = {}
    for row in done.stdout.splitlines():
        scope = re.search(r"\tclass:([\w:]+)", row)
        if scope and "__anon" not in scope.group(1):
            path, line = row.split("\t")[1], int(re.search(r"\tline:(\d+)", row).group(1))
            found.setdefault(scope.group(1), {}).setdefault(path, line)
    return found


def check_classes(root, files):
    paths = [file.path for file in files
             if file.path.endswith(".cc") and file.path.startswith(("core/", "backends/", "launcher/")) and not is_test(file.path)]
    if not paths:
        return
    for name, places in classes_by_file(root, paths).items():
        if len(places) > 1:
            path = sorted(places)[1]
            yield Problem(path, places[path], "class",
                          f"{name} is cut across {', '.join(sorted(places))}: give a part of it a name and a class of its own")


# A function or a variable in a namespace of another library. Declarations of classes, as in `namespace spdlog { class logger; }`,
# are left alone.
FOREIGN = re.compile(r"^ *namespace (absl|boost|c10|fmt|gloo|google|grpc|grpc_core|grpc_event_engine|nlohmann|spdlog|torch|YAML)\b[^{;]*\{"
                     r"[^}]*?[(=]", re.MULTILINE)


def check_symbols(files):
    """A mangled name in a source, a wrapped symbol in a build or a definition in another library's namespace means that somebody
    else's internals are used."""
    for file in files:
        if file.path.startswith("test/") or not (file.is_cpp or file.is_cmake):
            continue
        for number, line in enumerate(file.lines, 1):
            if re.search(r"\b_ZN\w+|-Wl,--wrap|-Wl,--defsym", line):
                yield Problem(file.path, number, "symbol", "other libraries are used by their public interface only")
        code = "\n".join(file.code_lines) if file.is_cpp else ""
        for found in FOREIGN.finditer(code):
            yield Problem(file.path, code[:found.start(1)].count("\n") + 1, "symbol",
                          f"namespace {found.group(1)} is not ours: other libraries are used by their public interface only")


def check(root, files):
    yield from check_folders(files)
    yield from check_readmes(files)
    yield from check_interfaces(files)
    yield from check_classes(root, files)
    yield from check_symbols(files)
