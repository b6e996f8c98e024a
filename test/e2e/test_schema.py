# SPDX-License-Identifier: Apache-2.0
"""`muster schema`: the schema accepts what the parser accepts, and rejects every key and type that the parser rejects."""

import json
import os
import re
from pathlib import Path

import pytest

jsonschema = pytest.importorskip("jsonschema")
yaml = pytest.importorskip("yaml")

PROJECT = Path(os.environ["MUSTER_PROJECT"])
# Errors of a key or of a value's type. Other errors concern several keys, or the machine.
SEEN_BY_A_SCHEMA = {"E1101", "E1102", "E1103", "E1106", "E1107", "E1108", "E1110", "E1111", "E1112", "E1113", "E1114",
                    "E1201", "E1204", "E1205", "E1206", "E1208", "E1303"}
ABOUT_THIS_MACHINE = {"E1401", "E1402", "E1403"}  # a program, script or folder that does not exist


class Loader(yaml.SafeLoader):
    """Reads booleans and numbers as YAML 1.2 and editors do: `off` is a string, and so is `2:4`."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag.rpartition(":")[2] not in ("bool", "timestamp", "int")]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()}
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(true|false)$"), list("tf"))
Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile("^[-+]?[0-9]+$"), list("-+0123456789"))
Loader.add_constructor("tag:yaml.org,2002:int", lambda loader, node: int(node.value))


@pytest.fixture(params=["job", "config", "runtime"])
def kind(request):
    return request.param


def validator(muster, kind="job"):
    schema = muster.ok("schema", kind, "-o", "json").json()
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def agrees(muster, check, text):
    """True if the schema finds what the parser finds, as far as a schema can."""
    muster.write("case.yaml", text)
    report = muster("validate", "case.yaml", "-o", "json").json()["files"][0]
    codes = {found["code"] for found in report["diagnostics"]} - ABOUT_THIS_MACHINE
    try:
        document = yaml.load(text, Loader)
    except yaml.YAMLError:
        return codes
    wrong = [error.message for error in check.iter_errors(document)]
    if report["valid"] or not codes:
        assert not wrong, (text, wrong)
    elif codes <= SEEN_BY_A_SCHEMA:
        assert wrong, (text, codes)
    return codes


def test_each_is_a_schema_with_a_description_for_every_key(muster, kind):
    schema = validator(muster, kind).schema
    assert schema["$schema"].endswith("2020-12/schema")
    for name, key in schema["properties"].items():
        assert key["description"].endswith((".", ")")), name
    assert muster.ok("schema", kind).json() == schema
    assert yaml.safe_load(muster.ok("schema", kind, "-o", "yaml").out) == schema


def test_defaults_units_choices_and_examples(muster):
    keys = validator(muster).schema["properties"]
    assert keys["restarts"]["properties"]["limit"]["default"] == 0
    assert keys["timeouts"]["properties"]["start"]["default"] == "5m"
    assert "GiB" in keys["logs"]["properties"]["max"]["description"]
    assert keys["framework"]["enum"][:2] == ["plain", "torch"]
    assert keys["nodes"]["default"] == 1 and keys["nodes"]["examples"] == [4]
    assert "runtime" in keys and "description" not in keys


def test_examples_and_golden_files(muster):
    check = validator(muster)
    files = sorted(PROJECT.glob("examples/*/job.yaml")) + sorted(PROJECT.glob("test/golden/job_errors/*.yaml"))
    assert files
    for file in files:
        agrees(muster, check, file.read_text())


def test_examples_of_the_manual(muster):
    check = validator(muster)
    rows = [row for page in PROJECT.glob("docs/reference/job-file*.md")
            for row in re.findall(r"^\| `[^`]+` \|[^|\n]*\|[^|\n]*\| `(.+)` \|$", page.read_text(), re.M)]
    assert len(rows) > 30
    for row in rows:
        text = row if "command" in row else row + "\ncommand: [./train]"
        assert not list(check.iter_errors(yaml.load(text, Loader))), row


@pytest.mark.parametrize("text", [
    "comand: [x]", "command: x y", "command: [x]\nworkers: many", "command: [x]\nworkers: -1", "command: [x]\nnodes: 2:4",
    "command: [x]\nnodes: 0", "command: [x]\nframework: troch", "command: [x]\nrestarts: 3", "command: [x]\nrestarts: {limt: 3}",
    "command: [x]\ntimeouts: {run: 24}", "command: [x]\nlogs: {max: 10GiBi}", "command: [x]\nworker: {memory: 2048}",
    "command: [x]\nrestarts: {never_on: [exit 0]}", "command: [x]\nrestarts: {never_on: [sigbus]}", "command: [x]\nhangs: {even_without_steps: maybe}",
    "command: [x]\nenv: {A: {from: nowhere}}", "command: [x]\nenv: {A: {optional: true}}", "command: [x]\nenv: [A]", "command: [x]\nname: [a]",
    "workers: 2\ngroups: [{name: a, command: [x]}]", "groups: [{name: a, command: [x], nods: 2}]", "groups: {name: a}",
    "command: [x]\nversion: 2", "command: [x]\nname: Abc", "command: [x]\nname: a-", "command: [x]\nname: 5", "groups: [{name: A, command: [x]}]",
    "command: [x]\nenv: {\"A=B\": x}", "command: [x]\nrestarts: {never_on: [SIGFOO]}", "command: [x]\ntty: first", "command: [x]\nwarm: sometimes", "command: [x]\nrestarts: {backoff: {then: 1s-60s}}",
])
def test_what_the_parser_refuses(muster, text):
    codes = agrees(muster, validator(muster), text)
    assert codes, text


@pytest.mark.parametrize("text", ["command: []", "groups: []", "groups: [{name: a, command: []}]"])
def test_what_is_empty_and_may_not_be(muster, text):
    agrees(muster, validator(muster), text)
    assert list(validator(muster).iter_errors(yaml.load(text, Loader)))


@pytest.mark.parametrize("text", [
    "command: [x]", "command: [x, 1, 2.5]", "command: [x]\nworkers: auto", "command: [x]\nworkers: \"4\"", "command: [x]\nnodes: 2..4",
    "command: [x]\nrestarts:\n", "command: [x]\nenv: {A: 1, B: {from: \"env:B\", optional: true}}", "command: [x]\ntimeouts: {run: 0, start: 1h30m}",
    "command: [x]\nlogs: {max: 0}", "command: [x]\nwarm: off", "command: [x]\nwarm: [torch, numpy]", "command: [x]\nrestarts: {never_on: [exit 2, SIGBUS, oom, exception ValueError, message ECC*, lost, hang]}",
    "groups: [{name: a, command: [x], nodes: 2}, {name: b, command: [y], env: {R: 1}}]", "command: [x]\nrestarts: {backoff: {first: 0s, then: 5s}}",
    "command: [x]\nlabels: {team: 7}", "command: [x]\nname: a-7", "command: [x]\nrestarts: {never_on: [SIGTERM, signal 40]}", "command: [x]\ntorch: {macros: true}",
])
def test_what_the_parser_takes(muster, text):
    assert agrees(muster, validator(muster), text) == set()


def test_a_job_as_it_is_stored_is_a_job_file(muster):
    muster.ok("run", "-q", "-n", "2", "--", "true")
    assert not list(validator(muster).iter_errors(muster.job()["spec"])), json.dumps(muster.job()["spec"])


def test_configuration_and_runtimes_take_other_keys(muster):
    config, runtime = validator(muster, "config"), validator(muster, "runtime")
    assert not list(config.iter_errors({"restarts": {"limit": 2}, "runtime": "base"}))
    assert list(config.iter_errors({"command": ["x"]}))
    assert not list(runtime.iter_errors({"description": "big", "runtime": "base", "workers": 8}))
    assert list(runtime.iter_errors({"name": "x"}))
