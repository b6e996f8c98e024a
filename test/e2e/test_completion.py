# SPDX-License-Identifier: Apache-2.0
"""`muster completion`: commands, flags, files and live values, in the real shells."""

import shutil

import pytest

from shells import Shell

SLEEPY = ("--name", "sleepy-one", "-n", "3", "--", "sleep", "1000")


@pytest.fixture(params=["bash", "zsh", "fish"])
def shell(request, muster):
    if not shutil.which(request.param):
        pytest.skip(f"{request.param} is not installed")
    made = Shell(request.param, muster)
    yield made
    made.close()


def complete(muster, *words, **options):
    done = muster("__complete", *words, **options)
    assert (done.code, done.err) == (0, ""), done
    lines = done.lines()
    return [line.split("\t")[0] for line in lines[:-1]], lines[-1]


def test_commands_flags_and_choices(shell):
    assert shell.tab("muster descr") == "muster describe "
    assert shell.tab("muster logs --foll") == "muster logs --follow "
    assert shell.tab("muster logs --stream e") == "muster logs --stream err "
    assert shell.tab("muster run --framework=accel") == "muster run --framework=accelerate "
    assert shell.tab("muster help comp") == "muster help completion "
    assert shell.tab("muster completion f") == "muster completion fish "
    assert {"explain", "files", "list", "set"} <= shell.offers("muster config ")


def test_live_jobs_and_their_ranks(shell, muster):
    muster.submit(*SLEEPY)
    muster.wait_for_ranks()
    assert shell.tab("muster stop slee") == "muster stop sleepy-one "
    assert shell.tab("muster logs @la") == "muster logs @last "
    assert {"0", "1", "2"} <= shell.offers("muster logs sleepy-one --rank ")
    muster.ok("kill", "sleepy-one")
    muster("wait", "sleepy-one", "-q")
    assert shell.tab("muster stop slee") == "muster stop slee"
    assert shell.tab("muster rm slee") == "muster rm sleepy-one "


def test_files_where_files_go(shell, muster):
    muster.write("experiment.yaml", "command: [true]\n")
    muster.write("program.sh", "#!/bin/sh\n").chmod(0o755)
    (muster.work / "folder").mkdir()
    assert shell.tab("muster run expe") == "muster run experiment.yaml "
    assert shell.tab("muster validate expe") == "muster validate experiment.yaml "
    assert shell.tab("muster diff expe") == "muster diff experiment.yaml "
    assert shell.tab("muster run --workdir fol") == "muster run --workdir folder/"
    assert shell.tab("muster run -- ./prog") == "muster run -- ./program.sh "
    assert shell.tab("muster run -n 2 -- sh prog") == "muster run -n 2 -- sh program.sh "


def test_keys_settings_runtimes_and_codes(shell, muster):
    runtimes = muster.work / ".muster" / "runtimes"
    runtimes.mkdir(parents=True)
    (runtimes / "big-gpu.yaml").write_text("description: eight of them\nworkers: 8\n")
    assert shell.tab("muster config explain restarts.lim") == "muster config explain restarts.limit "
    assert shell.tab("muster run --set restarts.mo") == "muster run --set restarts.mode="
    assert shell.tab("muster run --set restarts.mode=ga") == "muster run --set restarts.mode=gang "
    assert shell.tab("muster run --runtime bi") == "muster run --runtime big-gpu "
    assert shell.tab("muster runtimes show bi") == "muster runtimes show big-gpu "
    assert shell.tab("muster frameworks deep") == "muster frameworks deepspeed "
    assert shell.tab("muster explain E121") in ("muster explain E121", "muster explain E1210")


def test_words_are_those_of_the_commands_themselves(muster):
    commands, part = complete(muster, "")
    assert {"run", "ps", "completion", "torchrun"} <= set(commands) and part == ":"
    assert not [name for name in commands if name.startswith("__")]
    for command in commands:
        flags, _ = complete(muster, command, "-")
        assert "--help" in flags, command
        for flag in flags:
            assert flag in muster.ok(command, "--help").out, (command, flag)


def test_what_was_said_is_not_offered_again(muster):
    flags, _ = complete(muster, "run", "-d", "--env", "A=1", "--")
    assert "--detach" not in flags and "--env" in flags
    assert complete(muster, "logs", "one", "")[0] == []
    assert complete(muster, "run", "-n", "") == (["auto"], ":")
    assert complete(muster, "run", "--", "x", "") == ([], ":program 2")


def test_a_list_of_ranks_goes_on(muster):
    muster.submit(*SLEEPY)
    assert complete(muster, "logs", "sleepy-one", "--rank", "0,")[0] == ["0,1", "0,2"]
    groups = [{"name": name, "command": ["sleep", "1000"]} for name in ("trainer", "evaluator")]
    muster.job_file("groups.yaml", name="two", groups=groups)
    muster.submit("groups.yaml")
    assert complete(muster, "logs", "two", "--rank", "")[0] == ["0"]
    muster.ok("kill", "sleepy-one", "two")


def test_what_runs_is_not_offered_as_queued(muster):
    muster.submit(*SLEEPY)
    muster.wait_for_ranks()
    muster.submit("--name", "waits", "--hold", "--", "true")
    assert "sleepy-one\trunning" in muster("__complete", "exec", "").lines()
    assert "waits\tqueued" in muster("__complete", "stop", "").lines()
    for command in ("hold", "release", "move"):
        assert complete(muster, command, "")[0] == ["waits"]
    muster.ok("kill", "sleepy-one", "waits")


def test_nothing_is_started_and_nothing_is_said(muster):
    for words in (["ps", ""], ["logs", ""], ["logs", "none", "--rank", ""], ["no-command", ""], ["run", "--nonsense="], []):
        complete(muster, *words)
    complete(muster, "logs", "", env={"HOME": "", "MUSTER_STATE_DIR": "relative"})
    assert not muster.processes("serve")
    assert not muster.state.exists()


def test_install_says_where_and_overwrites_only_its_own_file(muster):
    home = muster.work / "home"
    home.mkdir()
    folders = {"bash": ".local/share/bash-completion/completions/muster", "zsh": ".local/share/zsh/site-functions/_muster",
               "fish": ".config/fish/completions/muster.fish"}
    for kind, file in folders.items():
        for _ in range(2):
            done = muster.ok("completion", kind, "--install", env={"HOME": str(home)})
            assert str(home / file) in done.err and done.out == ""
        assert (home / file).read_text() == muster.ok("completion", kind).out
    refused = muster("completion", "fish", "--install", env={"HOME": ""})
    assert refused.code == 6 and "muster completion fish" in refused.err, refused
    assert "muster completion has no subcommand `csh`; it has bash, zsh, fish" in muster("completion", "csh").err
    assert muster.ok("completion", env={"SHELL": "/usr/bin/fish"}).out == muster.ok("completion", "fish").out
