# SPDX-License-Identifier: Apache-2.0
"""The sources of a job's values: file, flags, environment and configuration layers; `render` shows the result."""

import pytest

KEYS = {
    "name": "same", "framework": "torch", "nodes": 2, "workers": 3, "command": ["python3", "-c", "pass", "--lr", "1"],
    "env": {"LEVEL": "high"}, "labels": {"team": "vision"}, "worker": {"gpus": 0, "memory": "64MiB"},
    "restarts": {"limit": 3, "backoff": {"first": "2s", "then": "3s..9s"}, "grace": "4s", "never_on": ["exit 2"], "always_on": ["SIGBUS"]},
    "timeouts": {"queue": "1h", "start": "6m", "run": "2h", "stop": "7s"}, "logs": {"max": "1MiB"},
}
FLAGS = [
    "--name", "same", "--framework", "torch", "--nodes", "2", "-n", "3", "-e", "LEVEL=high", "--label", "team=vision", "--gpus", "0",
    "--memory", "64MiB", "--restarts", "3", "--set", "restarts.backoff.first=2s", "--set", "restarts.backoff.then=3s..9s",
    "--grace", "4s", "--set", "restarts.never_on=[exit 2]", "--set", "restarts.always_on=[SIGBUS]", "--timeout-queue", "1h",
    "--timeout-start", "6m", "--timeout-run", "2h", "--timeout-stop", "7s", "--set", "logs.max=1MiB",
    "--", "python3", "-c", "pass", "--lr", "1",
]


def test_a_file_and_flags_give_the_same_plan(muster):
    muster.job_file(**KEYS)
    from_file = muster.ok("render", "job.yaml", "-o", "json").json()
    assert from_file == muster.ok("render", *FLAGS[:-6], "-o", "json", *FLAGS[-6:]).json()
    assert len(from_file["ranks"]) == 6
    assert muster.ok("render", "job.yaml").out == muster.ok("render", *FLAGS).out
    assert not muster.processes("serve")


def test_a_file_and_flags_give_the_same_job(muster):
    muster.job_file(**KEYS)
    muster.ok("run", "job.yaml")
    from_file = muster.job()["spec"]
    muster.ok("run", *FLAGS)
    assert from_file == muster.job()["spec"]
    assert from_file["restarts"]["always_on"] == ["SIGBUS"]


def test_flags_win_over_the_file(muster):
    muster.job_file(workers=2, command=["echo", "from the file"])
    assert muster.ok("run", "job.yaml", "-n", "1").lines() == ["from the file"]
    assert muster.ok("run", "job.yaml", "-n", "1", "--", "echo", "from the flags").lines() == ["from the flags"]


def spec(muster, *flags, **options):
    muster.ok("run", "-q", "job.yaml", *flags, **options)
    return muster.job()["spec"]


def test_the_layers_of_configuration(muster):
    """flags > job file > muster.yaml of the project > the user's file"""
    user = muster.home / ".config" / "muster" / "config.yaml"
    muster.job_file(command=["true"])
    assert spec(muster)["restarts"]["limit"] == 0
    user.parent.mkdir(parents=True)
    user.write_text("restarts: {limit: 1, grace: 9s}\n")
    assert spec(muster)["restarts"]["limit"] == 1
    muster.write("muster.yaml", "restarts: {limit: 2}\n")
    assert spec(muster)["restarts"]["limit"] == 2
    muster.job_file(command=["true"], restarts={"limit": 3})
    assert spec(muster)["restarts"]["limit"] == 3
    strongest = spec(muster, "--restarts", "4")["restarts"]
    assert (strongest["limit"], strongest["grace"]) == (4, "9s")


def test_the_environment_stands_for_flags(muster):
    """flags > environment > job file. Ranks do not get these variables, so a muster that a rank runs is not affected."""
    muster.job_file(workers=3, command=["sh", "-c", "echo ${MUSTER_WORKERS-unset} $MUSTER_WORLD_SIZE"])
    env = {"MUSTER_WORKERS": "2", "MUSTER_RESTARTS_LIMIT": "1"}
    assert sorted(muster.ok("run", "job.yaml", env=env).lines()) == ["[0] unset 2", "[1] unset 2"]
    assert muster.job()["spec"]["restarts"]["limit"] == 1
    assert muster.ok("run", "job.yaml", "-n", "1", env=env).lines() == ["unset 1"]
    done = muster("run", "job.yaml", env={"MUSTER_WORKERS": "many"})
    assert (done.code, "MUSTER_WORKERS" in done.err) == (2, True)


def test_a_folder_and_a_program_that_are_not_there_are_told_together(muster):
    muster.write("job.yaml", "workdir: /nope\ncommand: [nosuch]\nenv: {TOKEN: {from: 'env:NOPE'}}\n")
    done = muster("run", "job.yaml")
    assert done.code == 2
    for place in ("job.yaml:1:10", "job.yaml:2:11", "job.yaml:3:7", "3 errors"):
        assert place in done.err


def test_validate_tells_programs_of_every_file(muster):
    muster.write("good.yaml", "command: ['true']\n")
    muster.write("bad.yaml", "\n".join(f"key{number}: 1" for number in range(230)))
    muster.write("large.yaml", "#" * 300_000)
    (muster.work / "empty").mkdir()
    done = muster("validate", "good.yaml", "bad.yaml", "large.yaml", "absent.yaml", "empty", "-o", "json")
    assert (done.code, done.err) == (2, "")
    good, bad, large, absent, folder = done.json()["files"]
    assert (good["valid"], good["diagnostics"]) == (True, [])
    assert (len(bad["diagnostics"]), bad["more"]) == (200, 30)
    assert all(each["line"] > 0 for each in bad["diagnostics"])
    assert [each["diagnostics"][0]["code"] for each in (large, absent, folder)] == ["E1002", "E1013", "E1013"]
    assert (absent["file"], absent["valid"]) == ("absent.yaml", False)
    assert "[E1002]" in muster("validate", "large.yaml").err


def test_validate_and_dry_run_check_programs_as_run_does(muster):
    muster.write("train.py", "print('trained')\n")
    wrong = {"E1401": "command: [pyhton3, train.py]\n", "E1403": "command: [python3, trian.py]\n", "E1402": "command: ['true']\nworkdir: srrc\n"}
    for code, text in wrong.items():
        muster.write("job.yaml", text)
        for words in (["validate"], ["run", "--dry-run"], ["run"]):
            done = muster(*words, "job.yaml")
            assert (done.code, done.out) == (2, "") and f"[{code}]" in done.err, (words, done)
    muster.write("job.yaml", "command: [python3, trian.py]\n")
    [report] = muster("validate", "job.yaml", "-o", "json").json()["files"]
    assert not report["valid"] and report["diagnostics"][0]["suggestions"] == ["train.py"], report
    muster.write("job.yaml", "command: [python3, train.py]\n")
    assert muster.ok("validate", "job.yaml").err.endswith("job.yaml is valid\n")


def test_the_projects_file_counts_from_below(muster):
    muster.write("muster.yaml", "env: {LAYER: project}\n")
    (muster.work / "deep").mkdir()
    assert muster.ok("run", "--", "sh", "-c", "echo $LAYER", cwd=muster.work / "deep").lines() == ["project"]


def backend(muster, *flags, **options):
    shown = muster.ok("render", *flags, "-o", "json", "--", "true", **options).json()
    return shown.get("backend", "kubernetes" if shown.get("kind") == "List" else None)


def test_one_line_moves_a_project_to_another_backend(muster):
    muster.write("muster.yaml", "backend: kubernetes\nkubernetes: {image: train}\n")
    assert backend(muster) == "kubernetes"
    assert backend(muster, env={"MUSTER_BACKEND": "local"}) == "local"
    assert backend(muster, "--backend", "kubernetes", env={"MUSTER_BACKEND": "local"}) == "kubernetes"


def test_a_backend_that_is_not_there_is_refused(muster):
    done = muster("run", "--backend", "kubernetes", "--", "sh", "-c", "echo > ran")
    assert done.code in (2, 8)
    assert "kubernetes" in done.err
    assert not (muster.work / "ran").exists()


def test_a_mistake_in_a_layer_names_the_layer(muster):
    muster.write("muster.yaml", "restarts: {limits: 2}\n")
    done = muster("run", "--", "true")
    assert done.code == 2
    assert "muster.yaml:1:12" in done.err
    assert "did you mean `limit`?" in done.err


@pytest.mark.parametrize("text, hint", [
    ("version: 2\ncommand: [x]\n", "version"),
    ("command: [x]\ncommand: [y]\n", "command"),
    ("command: [x]\nenv: {A: no}\n", "no"),
    ("command: [x]\n\tname: a\n", "tab"),
])
def test_yaml_traps_are_refused(muster, text, hint):
    muster.write("job.yaml", text)
    done = muster("validate", "job.yaml")
    assert done.code == 2
    assert hint in done.err + done.out
    assert "job.yaml:" in done.err + done.out


def test_dry_run_starts_nothing(muster):
    assert "rank 1" in muster.ok("run", "--dry-run", "-n", "2", "--", "true").out
    assert not muster.state.exists()
