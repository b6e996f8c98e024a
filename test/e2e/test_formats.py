# SPDX-License-Identifier: Apache-2.0
"""Common to all commands: formats with a versioned schema, colours, manual pages, and messages that say what to do."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml")

PROJECT = Path(os.environ["MUSTER_PROJECT"])
# The commands that print objects, by the kind of their document. JOB is an ended job, LIVE a running one.
OBJECTS = {
    "jobs": ["ps", "-a"], "agents": ["ps", "--agents"], "job": ["describe", "JOB"], "plan": ["render", "job.yaml"],
    "files": ["validate", "job.yaml"], "version": ["version"], "findings": ["doctor"], "frameworks": ["frameworks"],
    "framework": ["frameworks", "torch"], "runtimes": ["runtimes"], "runtime": ["runtimes", "show", "base"],
    "config": ["config", "list"], "key": ["config", "explain", "restarts.limit"], "codes": ["explain"], "code": ["explain", "E1204"],
    "diff": ["diff", "JOB", "JOB"], "acts": ["kill", "JOB"], "hosts": ["hosts", "--hosts", "a.invalid"],
}
MORE = {"why": ["why", "JOB"], "wait": ["wait", "JOB"], "stop": ["stop", "JOB"], "rm": ["rm", "JOB"]}
KINDS = {"why": "job", "wait": "jobs", "stop": "acts", "rm": "acts"}


@pytest.fixture
def ready(muster):
    muster.job_file(command=["true"])
    folder = muster.work / ".muster" / "runtimes"
    folder.mkdir(parents=True)
    (folder / "base.yaml").write_text("description: all of us\nworkers: 1\n")
    muster.ok("run", "-q", "--name", "ended", "--", "true")
    return muster


def words(arguments):
    return ["ended" if word == "JOB" else word for word in arguments]


def check_format(done, form, kind):
    assert done.code in (0, 1, 3, 6), done  # 3: unknown host; 6: an ended job cannot be stopped
    if form == "json":
        first = done.json()
        assert first["schema"] == f"muster/{kind}/v1" and list(first)[0] == "schema"
        assert done.out.count("\n") == 1
    elif form == "yaml":
        assert yaml.safe_load(done.out)["schema"] == f"muster/{kind}/v1"
    elif form == "name":
        assert all(re.fullmatch(r"[^\s]*( [0-9]+)?", line) for line in done.lines()), done
    else:
        assert "\x1b" not in done.out + done.err


def test_version_is_the_projects(muster):
    (version,) = re.findall(r"^project\(muster VERSION ([0-9.]+)", (PROJECT / "CMakeLists.txt").read_text(), re.M)
    assert muster.ok("version", "-o", "json").json()["version"] == version


@pytest.mark.parametrize("form", ["json", "yaml", "name", "wide", "text"])
def test_each_format_of_each_command(ready, form):
    for name, arguments in [*OBJECTS.items(), *MORE.items()]:
        check_format(ready(*words(arguments), "-o", form), form, KINDS.get(name, name))


def test_formats_of_what_tells_an_end_or_a_change(ready):
    ready("run", "-q", "--name", "broken", "--", "false")
    assert ready("wait", "broken", "-o", "wide").err == ready("wait", "broken").err != ""
    assert ready.ok("top", "-o", "name").lines() == ["ended", "broken"]
    assert ready.ok("config", "set", "restarts.limit", "3", "-o", "name").lines() == ["restarts.limit"]
    told = ready.ok("config", "set", "restarts.limit", "4", "-o", "json").json()
    assert told["schema"] == "muster/key/v1" and "4" in str(told)


def test_what_a_submit_shows(ready):
    held = ["submit", "--hold", "--", "true"]
    named = {form: ready.ok(*held[:2], "-o", form, *held[2:]) for form in ("text", "wide", "name", "json", "yaml")}
    assert named["json"].json()["schema"] == yaml.safe_load(named["yaml"].out)["schema"] == "muster/job/v1"
    assert [named[form].out.count("\n") for form in ("text", "wide", "name")] == [1, 1, 1]
    assert named["name"].err == "" and "next:" in named["text"].err
    ready.ok("kill", *(named[form].out.strip() for form in ("text", "wide", "name")), named["json"].json()["id"],
             yaml.safe_load(named["yaml"].out)["id"])


def test_what_is_printed_is_a_stream_of_yaml_too(ready):
    for arguments in (["run", "-o", "yaml", "--", "echo", "x"], ["logs", "@last", "-o", "yaml"], ["attach", "@last", "-o", "yaml"]):
        documents = list(yaml.safe_load_all(ready.ok(*arguments).out))
        assert all(each["schema"] == f"muster/{each['type']}/v1" for each in documents)
        assert [each["text"] for each in documents if each["type"] == "output"] == ["x\n"]


def test_why_has_its_answer_for_programs(ready):
    ready("run", "-q", "--name", "broken", "--", "sh", "-c", "echo no luck >&2; exit 3")
    told = ready.ok("why", "broken", "-o", "json").json()
    assert told["why"]["sentence"].startswith("Rank 0 exited with code 3: no luck.")
    assert told["why"]["evidence"] == "muster logs broken --rank 0 --attempt 1 -n 40"
    assert ready(*told["why"]["evidence"].split()[1:]).out == "no luck\n"


def test_a_list_of_jobs_has_one_order_and_says_what_it_leaves_out(ready):
    ready.ok("run", "-q", "--name", "newer", "--", "true")
    listed = ready.ok("ps", "-o", "json").json()
    assert [job["name"] for job in listed["jobs"]] == ready.ok("ps", "-o", "name").lines() == ["newer", "ended"]
    assert [line.split()[0] for line in ready.ok("ps").lines()[1:]] == ["newer", "ended"]
    assert listed["all"] is False and "more" not in listed
    assert ready.ok("ps", "-a", "-o", "json").json()["all"] is True
    assert re.search(r" \d+(\.\d)? KiB ", ready.ok("ps", "-o", "wide").out)
    assert re.fullmatch(r"deleted 1 job, [0-9.]+ KiB\n", ready.ok("rm", "newer").err)


def test_lines_of_a_job_are_documents_too(ready):
    for line in ready.ok("run", "-o", "json", "--", "echo", "x").json_lines():
        assert line["schema"] == f"muster/{line['type']}/v1"
    for document in yaml.safe_load_all(ready.ok("events", "@last", "-o", "yaml").out):
        assert document["schema"] == "muster/event/v1"
    torchrun = ready("render", "-o", "json", "torchrun", "train.py").json()
    assert torchrun["schema"] == "muster/torchrun/v1"


def test_every_kind_has_its_row_in_the_manual(ready):
    manual = PROJECT / "docs" / "reference" / "json.md"
    documented = set(re.findall(r"^\| `muster/([a-z]+)/v1` \|", manual.read_text(), re.M))
    assert {KINDS.get(name, name) for name in [*OBJECTS, *MORE]} | {"event", "output", "remark", "torchrun"} == documented


def coloured(muster, *flags, **env):
    return "\x1b[" in muster.ok("ps", "-a", *flags, env=env).out


def test_colour_is_as_the_user_says(ready):
    assert not coloured(ready)
    assert coloured(ready, "--color", "always") and coloured(ready, "--color=always", NO_COLOR="1")
    assert coloured(ready, MUSTER_COLOR="always") and coloured(ready, CLICOLOR_FORCE="1")
    assert not coloured(ready, "--color", "never", CLICOLOR_FORCE="1") and not coloured(ready, MUSTER_COLOR="never", CLICOLOR_FORCE="1")
    refused = ready("ps", "--color", "sometimes")
    assert refused.code == 2 and "--color must be one of auto, always, never" in refused.err


def on_a_terminal(muster, env):
    import pexpect
    shown = pexpect.run(f"{muster.binary} ps -a", env=muster.env | {"TERM": "xterm"} | env, cwd=str(muster.work), encoding="utf-8")
    return "\x1b[" in shown


def test_colour_on_a_terminal(ready):
    assert on_a_terminal(ready, {})
    for env in ({"NO_COLOR": "1"}, {"CLICOLOR": "0"}, {"TERM": "dumb"}, {"MUSTER_COLOR": "never"}):
        assert not on_a_terminal(ready, env), env


def test_every_command_has_a_help_with_an_example(muster):
    for name in [line.split()[0] for line in muster.ok("help").lines() if re.match(r"  [a-z]+ ", line)]:
        if name == "muster":
            continue
        text = muster.ok(name, "--help").out
        example = text.split("\nexample:\n")[1]
        assert f"muster {name}" in example or name in ("agent",), name
        assert muster.ok("help", name).out == text


@pytest.mark.skipif(not shutil.which("mandoc"), reason="mandoc is not installed")
def test_manual_pages(muster):
    folder = muster.work / "man"
    muster.ok("help", "--man-folder", folder)
    pages = sorted(folder.iterdir())
    assert {"muster.1", "muster-run.1", "muster-job.5", "muster-completion.1"} <= {page.name for page in pages}
    for page in pages:
        lint = subprocess.run(["mandoc", "-Tlint", "-W", "warning", page], capture_output=True, text=True, check=False)
        found = [line for line in lint.stdout.splitlines() if "missing date" not in line]
        assert not found, found
        warned = subprocess.run(["man", "--warnings", "-l", page], capture_output=True, text=True, check=False,
                                env={"PATH": os.environ["PATH"], "MANWIDTH": "80", "LC_ALL": "C.UTF-8"}) if shutil.which("man") else None
        assert warned is None or not warned.stderr, (page, warned.stderr)
    run = (folder / "muster-run.1").read_text()
    for flag in re.findall(r"^ +(?:-\w, )?(--[a-z-]+)", muster.ok("run", "--help").out, re.M):
        assert flag.replace("-", "\\-") in run, flag
    assert muster.ok("help", "--man", "run").out == run


# One failing command for each kind of failure; every message names the object and what to do next.
WRONG = [
    ["nothing"], ["ps", "extra"], ["ps", "--nonsense"], ["stop"], ["logs", "none"], ["logs", "ended", "--rank", "9"],
    ["logs", "ended", "--rank", "x"], ["logs", "ended", "--attempt", "9"], ["logs", "ended", "--tail", "x"], ["logs", "ended", "--since", "x"],
    ["describe", "none"], ["describe", "ended", "-o", "trainjob"], ["why", "none"], ["events", "none"], ["attach", "none"], ["wait", "none"], ["wait", "ended", "--timeout", "x"],
    ["stop", "none"], ["stop", "ended", "--grace", "x"], ["kill", "none"], ["rm", "none"], ["rm"], ["rm", "--all", "--idle"],
    ["run"], ["run", "none.yaml"], ["run", "folder"], ["run", "script.py"], ["run", "-n", "2", "sleep", "1"], ["run", "--set", "x", "--", "true"],
    ["run", "--label", "x", "--", "true"], ["run", "-d", "--standalone", "--", "true"], ["run", "--name", "Bad Name", "--", "true"],
    ["run", "--runtime", "none", "--", "true"], ["run", "--", "no-such-program"], ["run", "-n", "many", "--", "true"],
    ["render", "none.yaml"], ["validate", "none.yaml"], ["frameworks", "none"], ["explain", "E9999"], ["runtimes", "show", "none"],
    ["runtimes", "show"], ["runtimes", "list", "x"], ["config", "explain"], ["config", "explain", "none"], ["config", "set", "x"], ["config", "nothing"],
    ["schema", "none"], ["completion", "csh"], ["init", "-f", "job.yaml"], ["init", "--force", "-n", "many", "x.py"], ["run", "-e", "", "--", "true"], ["hosts", "--hostfile", "none"], ["diff", "none", "ended"], ["diff", "ended"], ["help", "none"],
    ["torchrun"], ["torchrun", "--nonsense", "x.py"], ["agent"],
]
NEXT = re.compile(r"; |muster [a-z]|wants |needs |usage: |did you mean|\bsay |--\w|such as|try |install|is one of|must be one of|beside|error: argument|lists? ")


def bad_words(done):
    """The reasons why a message breaks muster's style; empty: none."""
    if done.code in (0, 134, 139) or not done.err.startswith("error: "):
        return "no error"
    sentence = done.err.removeprefix("error: ").splitlines()[0]
    if not re.match(r"[a-z`0-9<@-]|[A-Z_]{2}|Bad", sentence):
        return "begins like a book"
    if "!" in sentence or "error occurred" in done.err or sentence.endswith("."):
        return "tone"
    return "" if NEXT.search(done.err) else "no next step"


def test_a_sentence_says_what_and_what_next(ready):
    (ready.work / "folder").mkdir()
    ready.write("script.py", "pass\n")
    found = {" ".join(arguments): (why, done.err) for arguments in WRONG if (why := bad_words(done := ready(*arguments)))}
    assert not found
