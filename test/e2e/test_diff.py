# SPDX-License-Identifier: Apache-2.0
"""`muster diff`: compares the effective values of two jobs, two files, or a job and its file."""


def differences(done):
    return {each["key"]: (each.get("left"), each.get("right")) for each in done.json()["differences"]}


def test_two_jobs(muster):
    muster.ok("run", "-q", "--name", "one", "-n", "2", "--", "true")
    muster.ok("run", "-q", "--name", "two", "-n", "1", "--framework", "any", "-e", "LEVEL=high", "--restarts", "3", "--", "true")
    found = muster("diff", "one", "two", "-o", "json")
    assert found.code == 1 and found.json()["schema"] == "muster/diff/v1"
    assert differences(found) == {"workers": ("2", "1"), "env.LEVEL": (None, "high"), "restarts.limit": ("0", "3")}
    text = muster("diff", "one", "two").out.splitlines()
    assert text[:2] == ["- one", "+ two"] and "+ env.LEVEL: high" in text and "- workers: 2" in text
    assert muster("diff", "one", "two", "-o", "name").lines() == ["env.LEVEL", "restarts.limit", "workers"]
    same = muster("diff", "one", "one")
    assert (same.code, same.out, same.err) == (0, "", "")


def test_a_job_and_its_file_as_it_is_now(muster):
    muster.job_file(command=["true"], restarts={"limit": 1})
    muster.ok("run", "-q", "job.yaml")
    other = muster.work / "elsewhere"
    other.mkdir()
    assert muster.ok("diff", "@last", cwd=other).out == ""
    muster.job_file(command=["true", "again"], restarts={"limit": 2})
    found = muster("diff", "@last", "-o", "json", cwd=other)
    assert found.code == 1 and differences(found) == {"restarts.limit": ("1", "2"), "command": ('["true"]', '["true","again"]')}


def test_files_after_defaults(muster):
    muster.job_file("a.yaml", command=["true"])
    muster.job_file("b.yaml", command=["true"], workers=1, restarts={"limit": 0})
    assert muster("diff", "a.yaml", "b.yaml").code == 0
    muster.job_file("b.yaml", groups=[{"name": "worker", "command": ["true"]}, {"name": "other", "command": ["true"]}])
    found = muster("diff", "a.yaml", "b.yaml", "-o", "json")
    assert found.code == 1 and "groups.other.command" in differences(found)
    assert not muster.processes("serve")


def test_the_code_counts_too(muster):
    muster.job_file(command=["true"])
    git = "git -c user.name=x -c user.email=x@x -c init.defaultBranch=main"
    assert muster.shell(f"{git} init -q . && {git} add job.yaml && {git} commit -qm one").code == 0
    muster.ok("run", "-q", "job.yaml")
    assert muster("diff", "@last").code == 0
    muster.write("code.py", "1\n")
    assert muster.shell(f"{git} add code.py && {git} commit -qm two").code == 0
    found = muster("diff", "@last", "-o", "json")
    assert found.code == 1 and list(differences(found)) == ["code"]


def test_trouble_is_two(muster):
    muster.job_file(command=["true"])
    muster.ok("run", "-q", "--", "true")
    for arguments, word in [(("none", "job.yaml"), "none"), (("missing.yaml", "job.yaml"), "missing.yaml"), (("@last",), "was not started from a job file")]:
        refused = muster("diff", *arguments)
        assert refused.code == 2 and word in refused.err and refused.out == "", refused
    muster.write("bad.yaml", "command: [true]\nworkers: many\n")
    assert muster("diff", "job.yaml", "bad.yaml").code == 2
