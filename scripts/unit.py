# SPDX-License-Identifier: Apache-2.0
"""Runs some unit tests after an edit: `unit.py BUILD_FOLDER REPORT NAME…`, from the project's root.

NAME is a part of a test's name (`Suite.Case`), a folder, a file of tests, or another source file: then the tests in X_test.cc beside it
run, or, if there is no such file, those in its folder. Builds only the programs that have such tests, runs only these tests, and writes
JUnit XML. Exit status: 0 if all passed, 1 if one failed, 2 if no test matches, 3 if the build failed.

The replies of CMake's file API (cmake-file-api(7)) give the program of each source file.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

TEST = re.compile(r"^\s*TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\)", re.MULTILINE)
LIMIT = 300  # seconds that one program may take
QUERY = ".cmake/api/v1/query/codemodel-v2"
REPLY = ".cmake/api/v1/reply"


def configure(build):
    query = build / QUERY
    query.parent.mkdir(parents=True, exist_ok=True)
    query.touch()
    subprocess.run(["cmake", "--preset", build.name], check=True, stdout=subprocess.DEVNULL)


def read_programs(build):
    """{target: (program, working folder, [test source])}, sources relative to the project's root."""
    folder = build / REPLY
    index = json.loads(max(folder.glob("index-*.json")).read_text())
    model = json.loads((folder / index["reply"]["codemodel-v2"]["jsonFile"]).read_text())
    programs = {}
    for entry in model["configurations"][0]["targets"]:
        target = json.loads((folder / entry["jsonFile"]).read_text())
        sources = [source["path"] for source in target.get("sources", []) if source["path"].endswith("_test.cc")]
        if target["type"] == "EXECUTABLE" and sources:
            programs[target["name"]] = (build / target["artifacts"][0]["path"], build / target["paths"]["build"], sources)
    return programs


def tests_in(source):
    return [f"{suite}.{case}" for suite, case in TEST.findall(pathlib.Path(source).read_text())]


def pattern_of(test):
    """The gtest filter of a test. An instance of a parameterized test has a prefix and a suffix."""
    return f"{test}:*/{test}/*"


def place_of(name):
    """The test file or folder for `name`; None if `name` is not a path."""
    path = pathlib.Path(name)
    if not path.exists():
        return None
    path = path.resolve().relative_to(pathlib.Path.cwd())
    if path.is_dir() or path.name.endswith("_test.cc"):
        return path
    beside = path.with_name(f"{path.stem}_test.cc")
    return beside if beside.exists() else path.parent


def choose(programs, name):
    """{target: [gtest filter]}"""
    place, chosen = place_of(name), {}
    for target, (_, _, sources) in programs.items():
        for source in map(pathlib.Path, sources):
            tests = tests_in(source)
            if place is None:
                tests = [test for test in tests if name in test]
            elif place not in (source, *source.parents):
                continue
            chosen.setdefault(target, []).extend(map(pattern_of, tests))
    return {target: filters for target, filters in chosen.items() if filters}


def choose_all(build, names):
    """Like `choose`, for all names. If a name is not found, configures again, because its file may be new."""
    for known in (True, False):
        if not known or not list((build / REPLY).glob("index-*.json")):
            configure(build)
        programs = read_programs(build)
        by_name = {name: choose(programs, name) for name in names}
        if all(by_name.values()):
            break
    unknown = [name for name, chosen in by_name.items() if not chosen]
    if unknown:
        print(f"muster: no unit test matches {', '.join(unknown)}, and no file or folder with that name has unit tests", file=sys.stderr)
        sys.exit(2)
    chosen = {}
    for found in by_name.values():
        for target, filters in found.items():
            chosen.setdefault(target, []).extend(filters)
    return {target: (*programs[target][:2], filters) for target, filters in chosen.items()}


def run(target, program, place, filters, folder):
    """Runs the tests in `place`, the working folder that ctest uses; returns the element `testsuites` of the report."""
    report = folder / f"{target}.xml"
    command = [program.resolve(), f"--gtest_output=xml:{report}", "--gtest_brief=1"]
    flags = folder / f"{target}.flags"
    flags.write_text(f"--gtest_filter={':'.join(filters)}\n")  # may be too long for a command line
    try:
        code = subprocess.run([*command, f"--gtest_flagfile={flags}"], cwd=place, timeout=LIMIT, check=False).returncode
        why = f"{target} exited with code {code}"
    except subprocess.TimeoutExpired:
        code, why = 1, f"{target} did not end within {LIMIT} s"
    suites = ElementTree.parse(report).getroot() if report.exists() else ElementTree.Element("testsuites")
    if code and suites.find(".//failure") is None:
        case = ElementTree.SubElement(ElementTree.SubElement(suites, "testsuite", name=target), "testcase", name=target)
        ElementTree.SubElement(case, "failure", message=why)
    return suites


def main(build, report, *names):
    build = pathlib.Path(build)
    chosen = choose_all(build, names)
    if subprocess.run(["cmake", "--build", build, "--target", *chosen], check=False).returncode != 0:
        return 3
    all_suites = ElementTree.Element("testsuites")
    with tempfile.TemporaryDirectory() as folder:
        for target, (program, place, filters) in chosen.items():
            all_suites.extend(run(target, program, place, filters, pathlib.Path(folder)))
    ElementTree.ElementTree(all_suites).write(report)
    return 0 if all_suites.find(".//failure") is None else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
