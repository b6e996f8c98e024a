# SPDX-License-Identifier: Apache-2.0
"""Output of `muster run` (streams, prefixes, JSON), and the state in which a rank starts."""

import os


def test_stdout_is_the_ranks_and_stderr_is_musters(muster):
    done = muster.ok("run", "--name", "pair", "-n", "2", "--", "sh", "-c", "echo data; echo trouble >&2")
    assert sorted(done.lines()) == ["[0] data", "[1] data"]
    assert {"[0] trouble", "[1] trouble"} < set(done.err.splitlines())
    assert "pair  2 ranks on this machine" in done.err
    assert "pair  succeeded in " in done.err


def test_one_rank_is_passed_on_byte_by_byte(muster):
    script = r"printf 'no newline, \r \001\377\000 and an end'"
    assert muster.ok("run", "--", "sh", "-c", script).raw == b"no newline, \r \x01\xff\x00 and an end"


def test_quiet_leaves_only_the_ranks(muster):
    done = muster.ok("run", "-q", "-n", "2", "--", "echo", "x")
    assert (sorted(done.lines()), done.err) == (["[0] x", "[1] x"], "")


def test_json_is_one_object_a_line(muster):
    done = muster.ok("run", "-o", "json", "-n", "2", "--", "sh", "-c", "echo out $MUSTER_RANK; echo err >&2")
    lines = done.json_lines()
    said = sorted((line["index"], line["stream"], line["text"]) for line in lines if line["type"] == "output")
    assert said == [(0, "err", "err\n"), (0, "out", "out 0\n"), (1, "err", "err\n"), (1, "out", "out 1\n")]
    assert [line["sequence"] for line in lines if line["type"] == "event"][:3] == [1, 2, 3]
    assert (lines[-1]["type"], lines[-1]["state"], lines[-1]["exit_code"]) == ("job", "succeeded", 0)
    assert done.err == ""


def test_errors_as_json(muster):
    muster.write("job.yaml", "framework: troch\ncommand: [x]\n")
    done = muster("run", "job.yaml", "-o", "json")
    assert done.code == 2
    [line] = done.json_lines()
    assert (line["type"], line["file"], line["valid"]) == ("file", "job.yaml", False)
    assert line["diagnostics"][0]["code"] == "E1204"


def test_an_argument_that_is_no_text(muster):
    done = muster("run", "--", "echo", "a\udcff.tar")
    assert done.code == 2
    assert "argument 1 of `command` is not UTF-8 text: a\\xff.tar" in done.err


def test_a_flag_of_muster_that_the_program_gets_is_told(muster):
    muster.write("train.py", "import sys; print(sys.argv[1:])\n")
    done = muster.ok("run", "--", "python3", "train.py", "--restarts", "3")
    assert done.lines() == ["['--restarts', '3']"]
    assert "the program gets --restarts, because it is after `--`; if it is meant for muster, write it before `--`\n" in done.err
    muster.write("train.py", "import sys; print(sys.argv[1:])  # --restarts is its own\n")
    assert "--restarts" not in muster.ok("run", "--", "python3", "train.py", "--restarts", "3").err


def test_stdin_is_empty(muster):
    done = muster.ok("run", "--", "sh", "-c", "readlink /proc/self/fd/0; wc -c", stdin=b"not for ranks")
    assert done.lines() == ["/dev/null", "0"]


def test_ranks_start_in_the_shells_folder(muster):
    folder = muster.work / "deep" / "in"
    folder.mkdir(parents=True)
    assert muster.ok("run", "--", "pwd", cwd=folder).lines() == [str(folder)]
    assert muster.ok("run", "--workdir", "deep", "--", "pwd").lines() == [str(folder.parent)]


def test_a_folder_whose_name_is_not_utf_8_is_refused_and_works_through_a_link(muster):
    folder = muster.work / os.fsdecode(b"caf\xe9")
    folder.mkdir()
    for command in (["run"], ["run", "--standalone"], ["torchrun", "--no-python"], ["submit"]):
        refused = muster(*command, *(["--"] if command[0] != "torchrun" else []), "pwd", cwd=folder)
        assert refused.code == 2 and "the path of the working folder is not UTF-8 text: " in refused.err, refused
        assert "caf\\xe9" in refused.err and "E1310" in refused.err and "json" not in refused.err
    link = muster.work / "plain"
    link.symlink_to(folder)
    for command in (["run", "--"], ["torchrun", "--no-python"]):
        assert muster.ok(*command, "pwd", "-P", cwd=link, env={"PWD": str(link)}).lines() == [str(folder)]


def test_a_job_files_workdir_is_beside_it(muster):
    (muster.work / "project").mkdir()
    muster.job_file("project/job.yaml", command=["pwd"])
    assert muster.ok("run", "project/job.yaml").lines() == [str(muster.work / "project")]
    muster.job_file("project/job.yaml", command=["pwd"], workdir="..")
    assert muster.ok("run", "project/job.yaml").lines() == [str(muster.work)]


def test_a_rank_inherits_no_descriptor_and_no_blocked_signal(muster):
    script = "import os, signal; print(sorted(os.listdir('/proc/self/fd'))); print(signal.pthread_sigmask(0, []))"
    fds, mask = muster.ok("run", "--", "python3", "-c", script).lines()
    assert fds == "['0', '1', '2', '3']"  # 3 is the listed folder itself
    assert mask == "set()"
    blocked, ignored = muster.ok("run", "--", "grep", "-E", "SigIgn|SigBlk", "/proc/self/status").out.split()[1::2]
    assert int(blocked, 16) == 0
    assert int(ignored, 16) & 0x7FFFFFFF == 0  # signals 1 to 31; posix_spawn(3) leaves glibc's own 32 ignored


def test_a_rank_leads_its_own_process_group(muster):
    pid, group = muster.ok("run", "--", "python3", "-c", "import os; print(os.getpid(), os.getpgrp())").out.split()
    assert pid == group != str(os.getpgrp())


def test_a_folder_that_was_deleted(muster):
    done = muster.shell(f"mkdir deep && cd deep && rmdir ../deep && {muster.binary} run -- pwd")
    assert (done.code, done.out) == (2, ""), done
    assert "removed" in done.err


def test_closed_descriptors(muster):
    script = "echo said > file; readlink /proc/self/fd/0; echo x; echo y >&2"
    for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
        done = muster.shell(f"{muster.binary} run -- sh -c '{script}' {closed}")
        assert done.code == (9 if ">&-" in closed.split() else 0), (closed, done)
    assert muster.output_of().read_text() == "/dev/null\nx\n"


def test_a_program_that_is_not_there(muster):
    done = muster("run", "--", "pyhton3", "x.py")
    assert done.code == 2
    assert "did you mean `python3`?" in done.err
    muster.write("train.py", "")
    done = muster("run", "--", "python3", "trian.py")
    assert done.code == 2
    assert "did you mean `train.py`?" in done.err


def test_a_program_that_may_not_be_executed(muster):
    muster.write("tool", "#!/bin/sh\n")
    done = muster("run", "--", "./tool")
    assert done.code == 2
    assert "chmod +x ./tool" in done.err


def test_a_program_that_goes_between_two_attempts(muster):
    muster.write("tool", "#!/bin/sh\nrm $0\nexit 1\n").chmod(0o755)
    done = muster("run", "--restarts", "1", "--", "./tool")
    assert done.code == 1
    assert "could not be started" in done.err
    assert "./tool" in done.err


def test_two_nodes_are_two_agents(muster):
    run = muster.start("run", "--nodes", "2", "-n", "2", "--", "sh", "-c", "echo node $MUSTER_NODE rank $MUSTER_RANK; exec sleep 60")
    for rank in range(4):
        run.says(f"[{rank}] node {rank // 2} rank {rank}")
    assert len(muster.processes("agent", "--socket")) == 4  # an agent and its guardian on each node
    assert "as 2 nodes of this machine" in run.err()
    muster.ok("kill", "@last")
    said = sorted(run.end().lines())
    assert said == ["[0] node 0 rank 0", "[1] node 0 rank 1", "[2] node 1 rank 2", "[3] node 1 rank 3"]
