# SPDX-License-Identifier: Apache-2.0
"""muster's exit codes. Data goes to stdout, muster's messages go to stderr (docs/reference/exit-codes.md)."""

import pytest


@pytest.mark.parametrize("flags, script, code", [
    ([], "exit 0", 0),
    ([], "exit 9", 1),
    (["--propagate"], "exit 9", 9),
    (["--propagate"], "exit 0", 0),
    (["--propagate"], "kill -KILL $$", 137),
    (["--propagate", "-n", "3"], "test $MUSTER_RANK = 1 && exit 5; exec sleep 60", 5),
])
def test_run_exits_as_the_job_did(muster, flags, script, code):
    assert muster("run", *flags, "--", "sh", "-c", script).code == code


def test_wait_exits_as_the_job_did(muster):
    name = muster.submit("--", "sh", "-c", "exit 9")
    assert muster("wait", name).code == 1
    assert muster("wait", "--propagate", name).code == 9
    good = muster.submit("--", "true")
    assert muster("wait", good).code == 0
    assert muster("wait", good, name).code == 1


def nothing_was_started(muster):
    return not muster.state.exists() and not muster.processes("serve")


@pytest.mark.parametrize("arguments", [
    ["run"],
    ["run", "--no-such-flag", "--", "true"],
    ["run", "-n", "many", "--", "true"],
    ["run", "--memory", "4GigaByte", "--", "true"],
    ["run", "--set", "restarts.limits=3", "--", "true"],
    ["run", "missing.yaml"],
    ["run", "-d", "--standalone", "--", "true"],
    ["stop"],
    ["no-such-command"],
])
def test_a_wrong_command_line_is_2_and_starts_nothing(muster, arguments):
    done = muster(*arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: ")
    assert nothing_was_started(muster)


def test_a_bad_file_is_2_with_all_its_mistakes_and_starts_nothing(muster):
    muster.write("job.yaml", "framework: troch\nworker: {memory: 4GigaByte}\ncommand: [true, 'x']\nwrokers: 2\n")
    done = muster("run", "job.yaml")
    assert (done.code, done.out) == (2, "")
    for text in ("job.yaml:1:12", "did you mean `torch`?", "job.yaml:2:18", "job.yaml:4:1", "`workers`", "nothing was started"):
        assert text in done.err
    assert nothing_was_started(muster)


@pytest.mark.parametrize("command", ["describe", "logs", "events", "why", "wait", "attach", "stop", "kill", "rm"])
def test_an_unknown_job_is_5(muster, command):
    muster.ok("run", "--name", "training", "--", "true")
    done = muster(command, "trainign")
    assert (done.code, done.out) == (5, "")
    assert "trainign" in done.err


def test_a_taken_name_is_6(muster):
    muster.submit("--name", "twin", "--", "sleep", "60")
    second = muster("run", "--name", "twin", "--", "true")
    assert (second.code, second.out) == (6, "")
    assert "twin" in second.err
    muster.ok("kill", "twin")
    muster.wait_for_state("cancelled", "twin")


def test_removing_a_live_job_is_6(muster):
    name = muster.submit("--", "sleep", "60")
    done = muster("rm", name)
    assert (done.code, done.out) == (6, "")
    assert name in done.err
    muster.ok("kill", name)
    muster.wait_for_state("cancelled", name)


def test_a_wait_that_times_out_is_124(muster):
    name = muster.submit("--", "sleep", "60")
    done = muster("wait", name, "--timeout", "100ms")
    assert done.code == 124
    assert f"{name} has not ended within 100 ms" in done.err
    muster.ok("kill", name)
    assert muster("wait", name).code != 0


def test_more_cpus_than_the_machine_has_is_8(muster):
    done = muster("run", "--cpus", "9999", "--", "true")
    assert (done.code, done.out) == (8, "")
    assert "9999 CPUs" in done.err


def test_a_state_folder_that_cannot_be_is_3(muster):
    done = muster("run", "--", "true", env={"MUSTER_STATE_DIR": "/proc/none"})
    assert (done.code, done.out) == (3, "")
    assert "/proc/none" in done.err


def test_a_timeout_of_the_job(muster):
    assert muster("run", "--timeout-run", "100ms", "--", "sleep", "60").code == 7
    assert muster("wait", "@last", "--timeout", "1m").code == 7


def full(muster, words, stream=1):
    return muster.shell(f"exec {muster.binary} {words} {stream}>/dev/full")


def test_a_full_disk_behind_stdout_ends_who_looks_with_9(muster):
    name = muster.submit("--", "sh", "-c", "while :; do echo tick; sleep 0.02; done")
    other = muster.submit("--hold", "--", "sh", "-c", "true")
    for words in (f"logs -f {name}", f"attach {name}", f"attach {name} -o yaml", f"events -f {name}", "ps", f"diff {name} {other}", "doctor"):
        done = full(muster, words)
        assert done.code == 9, done
        assert done.err.splitlines()[-1] == "error: cannot write to stdout: No space left on device", done
        assert done.err.count("cannot write to stdout") == 1
    muster.ok("kill", name, other)
    muster.wait_for_state("cancelled", name)


def test_a_full_disk_is_9_only_where_the_job_succeeded(muster):
    assert full(muster, "run -- echo x").code == 9
    assert full(muster, "run -- sh -c 'echo x >&2'", stream=2).code == 9
    assert full(muster, "run -- sh -c 'echo x; exit 3'").code == 1
    assert muster.ok("logs", "@last").out == "x\n"


@pytest.mark.parametrize("words", ["run -- echo x", "run --standalone -- echo x", "torchrun --no-python echo x", "submit -q -- true", "ps -o json", "help"])
def test_output_to_a_closed_stdout_is_lost_and_exits_with_9(muster, words):
    done = muster.shell(f"exec {muster.binary} {words} >&-")
    assert done.code == 9, done
    assert done.err.count("error: cannot write to stdout: it is closed\n") == 1, done


def test_a_closed_stdout_without_output_is_no_error(muster):
    assert muster.shell(f"exec {muster.binary} run -- true >&-").code == 0
