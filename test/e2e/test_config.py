# SPDX-License-Identifier: Apache-2.0
"""`muster config`: the layer that a value comes from, and setting a value."""

import pytest


@pytest.fixture
def user_file(muster):
    folder = muster.home / ".config" / "muster"
    folder.mkdir(parents=True)
    return folder / "config.yaml"


def explained(muster, *arguments, **options):
    keys = muster.ok("config", "explain", *arguments, "-o", "json", **options).json()["keys"]
    assert len(keys) == 1
    return keys[0]


def test_every_layer_and_which_counts(muster, user_file):
    user_file.write_text("# mine\nrestarts:\n  limit: 1\n")
    project = muster.write("muster.yaml", "restarts: {limit: 2}\n")
    muster.write("job.yaml", "command: [true]\nrestarts:\n  limit: 3\n")
    steps = [((), {}, "2", "project", f"{project}:1"), (("job.yaml",), {}, "3", "job file", "job.yaml:3"),
             (("job.yaml",), {"env": {"MUSTER_RESTARTS_LIMIT": "4"}}, "4", "environment", "MUSTER_RESTARTS_LIMIT"),
             (("job.yaml", "--restarts", "5"), {"env": {"MUSTER_RESTARTS_LIMIT": "4"}}, "5", "flag", "--restarts"),
             (("job.yaml", "--restarts", "5", "--set", "restarts={limit: 6}"), {}, "6", "flag", "--set restarts")]
    for arguments, options, value, layer, place in steps:
        key = explained(muster, "restarts.limit", *arguments, **options)
        assert (key["value"], key["from"], key["place"]) == (value, layer, place)
        assert [each["layer"] for each in key["layers"] if each["wins"]] == [layer]
    layers = {each["layer"]: each for each in explained(muster, "restarts.limit", "job.yaml")["layers"]}
    assert layers["built-in"]["value"] == "0"
    assert layers["user"] == {"layer": "user", "wins": False, "value": "1", "place": f"{user_file}:3"}
    assert list(layers)[:4] == ["built-in", "system", "user", "project"]


def test_what_it_says_is_what_runs(muster, user_file):
    user_file.write_text("restarts: {limit: 1}\n")
    muster.job_file(command=["true"])
    muster.ok("run", "-q", "job.yaml")
    spec = muster.job()["spec"]
    assert explained(muster, "restarts.limit", "job.yaml")["value"] == str(spec["restarts"]["limit"]) == "1"
    assert explained(muster, "timeouts.start")["value"] == spec["timeouts"]["start"]
    assert explained(muster, "workers")["value"] == str(spec["groups"][0]["workers"])


def test_a_map_is_explained_key_by_key_and_text_shows_the_way(muster):
    text = muster.ok("config", "explain", "hangs").out
    assert [line.split(" ")[0] for line in text.splitlines() if line.startswith("hangs")] == [
        "hangs.action", "hangs.after", "hangs.even_without_steps"]
    assert "→  built-in" in text and "(not there)" in text and "--set hangs.after=…" in text


def test_variables_are_joined_name_by_name(muster):
    muster.write("muster.yaml", "env: {A: config, B: config}\n")
    muster.write("job.yaml", "command: [true]\nenv: {A: job}\n")
    key = explained(muster, "env", "job.yaml")
    assert [layer["layer"] for layer in key["layers"] if layer["wins"]] == ["project", "job file"]
    assert explained(muster, "env.A", "job.yaml")["value"] == "job"
    assert explained(muster, "env.B", "job.yaml")["from"] == "project"


def test_an_unknown_key_and_a_wrong_file_are_told(muster):
    unknown = muster("config", "explain", "max_restarts")
    assert unknown.code == 5 and "did you mean `restarts.limit`?" in unknown.err
    assert "muster config list -o wide" in muster("config", "explain", "colour").err
    muster.write("job.yaml", "command: [true]\nworkers: many\n")
    assert muster("config", "explain", "workers", "job.yaml").code == 2
    muster.write("muster.yaml", "command: [true]\n")
    wrong = muster("config", "list")
    assert wrong.code == 2 and "belongs in a job file, not in configuration" in wrong.err
    assert muster("config", "explain").code == 2 and muster("config", "exlain").code == 2


def test_the_list(muster, user_file):
    assert "all values are muster's defaults" in muster.ok("config").err
    user_file.write_text("logs: {max: 1GiB}\n")
    listed = muster.ok("config", "list").out
    assert listed.splitlines()[1].split() == ["logs.max", "1GiB", "user", f"{user_file}:1"]
    assert len(listed.splitlines()) == 2 and len(muster.ok("config", "list", "-o", "wide").lines()) > 30
    files = muster.ok("config", "files", "-o", "json").json()["files"]
    assert [(each["layer"], each["there"]) for each in files] == [("project", False), ("user", True), ("system", False)]


def test_set_keeps_the_rest_of_the_file(muster, user_file):
    muster.ok("config", "set", "restarts.limit", "3")
    user_file.write_text(user_file.read_text().replace("limit: 3", "limit: 3   # enough"))
    done = muster.ok("config", "set", "restarts.limit", "4")
    assert f"{user_file}:2" in done.err
    assert user_file.read_text() == "restarts:\n  limit: 4   # enough\n"
    assert explained(muster, "restarts.limit")["value"] == "4"
    muster.ok("config", "set", "--project", "logs.max", "2GiB")
    assert (muster.work / "muster.yaml").read_text() == "logs:\n  max: 2GiB\n"


def test_set_refuses_what_does_not_belong_there(muster, user_file):
    before = "restarts: {limit: 3}\n"
    user_file.write_text(before)
    for arguments, word in [(("workers", "4"), "belongs in a job file"), (("restarts.limit", "many"), "a whole number"),
                            (("restarts.limt", "4"), "did you mean `limit`?")]:
        refused = muster("config", "set", *arguments)
        assert refused.code in (2, 6) and word in refused.err, refused
        assert user_file.read_text() == before
    muster.ok("config", "set", "restarts.grace", "4s")
    assert user_file.read_text() == "restarts: {grace: 4s, limit: 3}\n"
    assert muster("config", "set", "logs.max").code == 2
    assert muster("config", "set", "logs.max", "1GiB", "--user", "--project").code == 2


def test_what_several_layers_say_of_a_map_is_shown_of_all(muster):
    muster.write("muster.yaml", "env: {P: 1}\n")
    muster.job_file(command=["true"], env={"J": "2"})
    row = next(line for line in muster.ok("config", "list", "job.yaml").lines() if line.startswith("env"))
    assert "over {P: 1}" in row, row
