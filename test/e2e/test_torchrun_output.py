# SPDX-License-Identifier: Apache-2.0
"""The ranks' output under `muster torchrun`: console, files, filters."""

import re
import subprocess

import pytest

from waiting import wait_for

BOTH = "echo out $LOCAL_RANK; echo err $LOCAL_RANK >&2"


def run(muster, *words, script=BOTH, env=None):
    return muster.ok("torchrun", "--nproc-per-node", "2", *words, "--no-python", "sh", "-c", script, env=env)


def only_folder(muster, log_dir="logs"):
    folders = list((muster.work / log_dir).iterdir())
    assert len(folders) == 1
    return folders[0]


def test_without_flags_lines_come_as_they_are(muster):
    done = run(muster)
    assert sorted(done.lines()) == ["out 0", "out 1"]
    assert sorted(done.err.splitlines()) == ["err 0", "err 1"]


def test_redirects_go_to_files_and_not_to_the_console(muster):
    done = run(muster, "--log-dir", "logs", "--rdzv-backend", "c10d", "--rdzv-id", "mine", "-r", "0:3,1:1")
    assert (done.out, done.err) == ("", "err 1\n")
    folder = only_folder(muster)
    assert folder.name.startswith("mine_")
    files = {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}
    assert files == {"attempt_0/0/stdout.log": "out 0\n", "attempt_0/0/stderr.log": "err 0\n", "attempt_0/1/stdout.log": "out 1\n"}


def test_tee_goes_to_both_with_a_prefix(muster):
    done = run(muster, "--log-dir", "logs", "-t", "1", "--role", "trainer")
    assert sorted(done.lines()) == ["[trainer0]:out 0", "[trainer1]:out 1"]
    assert sorted(done.err.splitlines()) == ["err 0", "err 1"]
    assert (only_folder(muster) / "attempt_0/1/stdout.log").read_text() == "out 1\n"


def test_the_prefix_is_a_template(muster):
    template = "${role_name}/${rank}/$local_rank@${hostname}${nothing}$$ "
    host = muster.shell("hostname").out.strip()
    expected = f"default/0/0@{host}${{nothing}}$ out 0"
    assert expected in run(muster, "-t", "1", "--log-line-prefix-template", template, "--log-dir", "l").lines()
    assert expected in run(muster, "-t", "1", "--log-dir", "l", env={"TORCHELASTIC_LOG_LINE_PREFIX_TEMPLATE": template}).lines()


def test_only_some_ranks_on_the_console(muster):
    done = run(muster, "--local-ranks-filter", "1", "-t", "2", "--log-dir", "logs")
    assert (done.out, done.err) == ("out 1\n", "[default1]:err 1\n")
    assert (only_folder(muster) / "attempt_0/0/stderr.log").read_text() == "err 0\n"


def test_filters_copy_lines(muster):
    script = "echo loss $LOCAL_RANK; echo other; echo 'a,b'; echo loss >&2"
    run(muster, "-t", "3", "--log-dir", "logs", "--duplicate-stdout-filters", "loss,a,,b", script=script)
    folder = only_folder(muster) / "attempt_0"
    lines = sorted((folder / "filtered_stdout.log").read_text().splitlines())
    assert lines == ["[default0]:a,b", "[default0]:loss 0", "[default1]:a,b", "[default1]:loss 1"]
    assert not (folder / "filtered_stderr.log").exists()


def test_a_temporary_folder_only_where_files_are_asked_for(muster):
    temporary = muster.work / "tmp"
    temporary.mkdir()
    run(muster, env={"TMPDIR": str(temporary)})
    assert list(temporary.iterdir()) == []
    run(muster, "-r", "3", env={"TMPDIR": str(temporary)})
    found = list(temporary.glob("torchelastic_*/*_*/attempt_0/0/stdout.log"))
    assert [path.read_text() for path in found] == ["out 0\n"]


def test_to_dev_null_means_no_files(muster):
    done = run(muster, "--log-dir", "/dev/null", "-r", "3", "-t", "3", script="echo \"${TORCHELASTIC_ERROR_FILE-unset}\"")
    assert done.out == "\n\n"


def test_every_attempt_has_its_folder(muster):
    # Only rank 0 fails: if rank 1 failed first, rank 0 could be stopped before it prints.
    script = "echo $TORCHELASTIC_RESTART_COUNT; test $TORCHELASTIC_RESTART_COUNT$LOCAL_RANK != 00"
    done = run(muster, "--max-restarts", "1", "--log-dir", "logs", "-r", "1", script=script)
    folder = only_folder(muster)
    assert [(folder / f"attempt_{n}/0/stdout.log").read_text() for n in (0, 1)] == ["0\n", "1\n"]
    assert re.fullmatch(r"\S+  rank 0 exited with code 1 · restarting, attempt 2 of 2\n", done.err), done


@pytest.mark.alone  # an incomplete line is shown when its rank is silent for a moment, which includes waiting for a CPU
def test_lines_of_many_ranks_stay_whole(muster):
    muster.write("spam.py", "import sys\nfor n in range(20000):\n    sys.stdout.write(f'{n % 10}' * (n % 50) + '\\n')\n")
    for words in ([], ["-t", "1", "--log-dir", "logs"]):
        lines = muster.ok("torchrun", "--nproc-per-node", "4", *words, "spam.py").lines()
        assert len(lines) == 80000
        assert not [line for line in lines if not re.fullmatch(r"(\[default\d\]:)?(\d?)\2*", line)]


def test_a_line_without_its_end_is_shown_when_its_rank_is_silent(muster):
    script = 'test $LOCAL_RANK = 1 || printf "name? "; until test -e go; do sleep 0.05; done; echo done $LOCAL_RANK'
    run = muster.start("torchrun", "--nproc-per-node", "2", "--no-python", "sh", "-c", script)
    wait_for(lambda: run.out() == "name? ", "the prompt")
    (muster.work / "go").write_text("")
    done = run.end()
    assert done.code == 0
    assert set(done.lines()) in ({"name? done 0", "done 1"}, {"name? ", "done 0", "done 1"})


def test_one_ranks_bytes_are_not_touched(muster):
    done = muster.ok("torchrun", "--no-python", "printf", r"10 %%\r20 %%\r\n\001\377")
    assert done.raw == b"10 %\r20 %\r\n\x01\xff"


def test_two_streams_of_one_rank_in_one_file_keep_their_lines(muster):
    muster.write("both.py", "import sys\nfor i in range(500):\n    print('a', 'b', 'c', i)\n    print('error', i, file=sys.stderr)\n")
    with open(muster.work / "all", "w") as file:
        subprocess.run([muster.binary, "torchrun", "both.py"], env=muster.env, cwd=muster.work, stdin=subprocess.DEVNULL, stdout=file, stderr=file, check=True, timeout=60)
    lines = (muster.work / "all").read_text().splitlines()
    assert sorted(lines) == sorted([f"a b c {i}" for i in range(500)] + [f"error {i}" for i in range(500)])
