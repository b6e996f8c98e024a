# SPDX-License-Identifier: Apache-2.0
"""Runtimes: templates of a project, a user and the system that jobs can use."""

import pytest


@pytest.fixture
def template(muster):
    """Writes a runtime of the project or of the user."""
    def write(name, text, layer="project"):
        folder = muster.work / ".muster" / "runtimes" if layer == "project" else muster.home / ".config" / "muster" / "runtimes"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.yaml").write_text(text)
        return folder / f"{name}.yaml"
    return write


def spec(muster, *arguments, **options):
    muster.ok("run", "-q", *arguments, **options)
    return muster.job()["spec"]


def test_the_job_wins_over_its_runtime_and_the_runtime_over_configuration(muster, template):
    template("base", "description: ours\nworkers: 2\nrestarts: {limit: 5, grace: 9s}\nenv: {A: template, B: template}\nlabels: {team: vision}\n")
    muster.write("muster.yaml", "restarts: {limit: 1, crash_loop: 7}\nenv: {C: config, B: config}\n")
    muster.job_file(runtime="base", command=["true"], restarts={"limit": 3}, env={"A": "job"})
    found = spec(muster, "job.yaml")
    assert found["groups"][0]["workers"] == 2
    assert (found["restarts"]["limit"], found["restarts"]["grace"], found["restarts"]["crash_loop"]) == (3, "9s", 7)
    assert found["env"] == {"A": "job", "B": "template", "C": "config"}
    assert found["labels"] == {"team": "vision"}
    assert spec(muster, "job.yaml", "-n", "1", "--restarts", "0")["restarts"]["limit"] == 0


def test_a_flag_a_variable_and_configuration_name_one_too(muster, template):
    for name in ("one", "two", "three"):
        template(name, f"labels: {{from: {name}}}\n")
    muster.job_file(command=["true"])
    assert spec(muster, "job.yaml", "--runtime", "one")["labels"] == {"from": "one"}
    assert spec(muster, "job.yaml", "--set", "runtime=two")["labels"] == {"from": "two"}
    muster.write("muster.yaml", "runtime: three\n")
    assert spec(muster, "job.yaml")["labels"] == {"from": "three"}
    assert spec(muster, "job.yaml", env={"MUSTER_RUNTIME": "two"})["labels"] == {"from": "two"}
    assert spec(muster, "--runtime", "one", "--", "true")["labels"] == {"from": "one"}
    assert spec(muster, "job.yaml", "--runtime", "")["labels"] == {}


def test_a_runtime_gives_the_command(muster, template):
    template("whole", "command: [sh, -c, 'echo from the runtime $RANK_OF']\nenv: {RANK_OF: '7'}\n")
    muster.job_file(runtime="whole")
    assert muster.ok("run", "job.yaml", "--set", "env.RANK_OF=8").lines() == ["from the runtime 8"]


def test_it_builds_on_others_and_a_project_on_the_users(muster, template):
    template("base", "env: {A: user, B: user, C: user}\n", "user")
    template("base", "runtime: base\nenv: {B: project, C: project}\n")
    template("top", "runtime: base\nenv: {C: top}\n")
    muster.job_file(runtime="top", command=["true"])
    assert spec(muster, "job.yaml")["env"] == {"A": "user", "B": "project", "C": "top"}


def test_a_circle_is_told_with_its_path(muster, template):
    file = template("a", "runtime: b\n")
    template("b", "env: {X: 1}\nruntime: a\n")
    muster.job_file(runtime="a", command=["true"])
    refused = muster("validate", "job.yaml")
    assert refused.code == 2 and "a → b → a" in refused.err and "b.yaml:2:10" in refused.err and "E1405" in refused.err, refused
    file.write_text("runtime: a\n")
    assert "a → a" in muster("run", "job.yaml").err


def test_the_chain_has_a_bound(muster, template):
    for i in range(12):
        template(f"r{i}", f"runtime: r{i + 1}\n")
    refused = muster("run", "--runtime", "r0", "--", "true")
    assert refused.code == 2 and "more than eight" in refused.err


def test_a_mistake_in_a_template_is_shown_there(muster, template):
    file = template("bad", "workers: 2\nrestarts:\n  limt: 3\nname: x\n")
    muster.job_file(runtime="bad", command=["true"])
    refused = muster("validate", "job.yaml")
    assert refused.code == 2, refused
    assert f"{file}:3:3" in refused.err and "did you mean `limit`?" in refused.err and "limt: 3" in refused.err
    assert f"{file}:4:1" in refused.err and "belongs in a job file, not in a runtime" in refused.err


def test_an_unknown_one_says_what_there_is(muster, template):
    template("torch-gpu", "workers: 2\n")
    muster.job_file(runtime="torch-gpus", command=["true"])
    refused = muster("run", "job.yaml")
    assert refused.code == 2 and "there is no runtime `torch-gpus`" in refused.err and "did you mean `torch-gpu`?" in refused.err
    assert "E1212" in muster("run", "--runtime", "../secret", "--", "true").err
    assert muster("runtimes", "show", "torch-gp").code == 5


def test_groups_are_joined_by_name(muster, template):
    template("pair", "groups:\n- {name: trainer, command: [sleep, '0'], workers: 2}\n- {name: evaluator, command: ['true']}\n")
    muster.job_file(runtime="pair", groups=[{"name": "trainer", "command": ["true"]}])
    trainer, evaluator = spec(muster, "job.yaml")["groups"]
    assert (trainer["name"], trainer["workers"], trainer["command"]) == ("trainer", 2, ["true"])
    assert evaluator["command"] == ["true"]
    muster.job_file(runtime="pair", workers=4)
    refused = muster("validate", "job.yaml")
    assert "`workers` does not say which group of the runtime it belongs to" in refused.err and "E1303" in refused.err
    template("single", "groups: [{name: trainer, command: ['true'], workers: 2}]\n")
    muster.job_file(runtime="single", workers=3)
    assert spec(muster, "job.yaml")["groups"][0]["workers"] == 3
    template("plain", "workers: 2\n")
    muster.job_file(runtime="plain", groups=[{"name": "a", "command": ["true"]}, {"name": "b", "command": ["true"], "workers": 1}])
    assert [group["workers"] for group in spec(muster, "job.yaml")["groups"]] == [2, 1]


def test_the_list_says_where_each_comes_from_and_what_is_shadowed(muster, template):
    assert "there are no runtimes" in muster.ok("runtimes").err
    template("base", "description: of the project\n")
    template("base", "description: of the user\n", "user")
    template("mine", "runtime: base\n", "user")
    listed = muster.ok("runtimes", "-o", "json").json()
    assert listed["schema"] == "muster/runtimes/v1"
    assert [(r["name"], r["from"], r["shadowed"]) for r in listed["runtimes"]] == [
        ("base", "project", False), ("base", "user", True), ("mine", "user", False)]
    text = muster.ok("runtimes").out
    assert "user (shadowed)" in text and "of the project" in text
    assert muster.ok("runtimes", "-o", "name").lines() == ["base", "mine"]
    assert str(muster.home / ".config/muster/runtimes/mine.yaml") in muster.ok("runtimes", "-o", "wide").out
    shown = muster.ok("runtimes", "show", "mine").out
    assert "runtime: base" in shown and "of the project" in shown and "of the user" not in shown


def test_render_explain_and_diff_know_it(muster, template):
    file = template("base", "workers: 3\n")
    muster.job_file(runtime="base", command=["true"])
    assert len(muster.ok("render", "job.yaml", "-o", "json").json()["ranks"]) == 3
    assert f"runtime: base ({file})" in muster.ok("render", "job.yaml").err
    explained = muster.ok("config", "explain", "workers", "job.yaml", "-o", "json").json()["keys"][0]
    assert (explained["value"], explained["from"], explained["place"]) == ("3", "runtime base", f"{file}:1")
    muster.ok("run", "-q", "job.yaml")
    assert muster.ok("diff", "@last").out == ""
    file.write_text("workers: 2\n")
    changed = muster("diff", "@last")
    assert changed.code == 1 and "- workers: 3" in changed.out and "+ workers: 2" in changed.out, changed
