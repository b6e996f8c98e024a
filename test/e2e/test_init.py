# SPDX-License-Identifier: Apache-2.0
"""`muster init`: writes a first job file for an existing program."""

import pexpect
import pytest

from waiting import PATIENCE

TRAIN = "import torch.distributed as dist\n\nif __name__ == '__main__':\n    print('trained')\n"


def test_what_it_writes_runs(muster):
    muster.write("train.py", "print('trained')\n")
    muster.write("helper.py", "x = 1\n")
    done = muster.ok("init", "--yes")
    assert "wrote job.yaml" in done.err and "next:  muster run job.yaml" in done.err and done.out == ""
    assert muster.ok("validate", "job.yaml").code == 0
    assert muster.ok("run", "-q", "job.yaml").lines() == ["trained"]
    assert (muster.work / "job.yaml").read_text().startswith("# yaml-language-server: $schema=.muster/job.schema.json\n")
    assert (muster.work / ".muster" / "job.schema.json").read_text() == muster.ok("schema", "job").out


def test_the_framework_is_guessed_and_flags_win(muster):
    muster.write("train.py", TRAIN)
    muster.ok("init")
    text = (muster.work / "job.yaml").read_text()
    assert "framework: torch" in text and "# train.py imports torch.distributed" in text and "workers: 2" in text
    muster.ok("init", "-f", "other.yaml", "-n", "3", "--framework", "plain", "--nodes", "2", "train.py")
    text = (muster.work / "other.yaml").read_text()
    assert "framework: plain" in text and "workers: 3" in text and "nodes: 2" in text
    assert len(muster.ok("render", "other.yaml", "-o", "json").json()["ranks"]) == 6


def test_what_its_environment_needs_is_suggested(muster):
    muster.write("train.py", TRAIN)
    muster.ok("init")
    assert "#   - [.venv/bin/pip, install, -r, requirements.txt]" in (muster.work / "job.yaml").read_text()
    muster.write("pyproject.toml", "[project]\nname = 'own'\n")
    muster.ok("init", "--force")
    assert "#   - [.venv/bin/pip, install, -e, .]" in (muster.work / "job.yaml").read_text()


def test_its_optional_keys_work_without_their_mark(muster):
    muster.write("train.py", TRAIN)
    muster.ok("init")
    text = (muster.work / "job.yaml").read_text()
    assert "\n# Optional keys. Remove the # to use one of these:\n" in text
    assert "# hangs: {action: restart, after: 10m, even_without_steps: true} " in text and "# restarts: {limit: 3, " in text
    for key in ("restarts", "hangs", "timeouts", "labels"):
        assert f"\n# {key}: " in text
        text = text.replace(f"\n# {key}: ", f"\n{key}: ")
    muster.write("job.yaml", text)
    muster.ok("validate", "job.yaml")


def test_nothing_is_written_over_and_nothing_wrong_is_written(muster):
    muster.write("train.py", TRAIN)
    muster.write("job.yaml", "mine\n")
    refused = muster("init", "--yes")
    assert refused.code == 6 and "--force" in refused.err and (muster.work / "job.yaml").read_text() == "mine\n"
    assert muster("init", "-f", "b.yaml", "-n", "many").code == 2
    assert muster("init", "-f", "b.yaml", "--framework", "troch").code == 2
    assert not (muster.work / "b.yaml").exists()
    muster.ok("init", "--force", "--", "python3", "train.py", "--lr", "1e-3", "a b")
    muster.ok("validate", "job.yaml")
    assert '"a b"' in (muster.work / "job.yaml").read_text()


def test_no_program_is_said(muster):
    refused = muster("init")
    assert refused.code == 5 and "muster init train.py" in refused.err


def test_a_folder_is_no_program_and_what_is_missing_is_said(muster):
    refused = muster("init", ".")
    assert (refused.code, (muster.work / "job.yaml").exists()) == (2, False)
    assert "`.` is a folder" in refused.err and "muster init train.py" in refused.err
    assert "no program `no-such` in this folder or in PATH yet" in muster.ok("init", "no-such").err


@pytest.fixture
def terminal(muster):
    child = pexpect.spawn(muster.binary, ["init"], env=muster.env, cwd=str(muster.work), timeout=PATIENCE, encoding="utf-8")
    yield child
    child.close(force=True)


def test_on_a_terminal_it_asks_three_questions(muster):
    muster.write("train.py", TRAIN)
    muster.write("main.py", TRAIN)
    child = pexpect.spawn(muster.binary, ["init"], env=muster.env, cwd=str(muster.work), timeout=PATIENCE, encoding="utf-8")
    child.expect_exact("1/3  which program? (there are main.py, train.py) [main.py] ")
    child.sendline("train.py --epochs 2")
    child.expect_exact("2/3  how many ranks (a number, or auto: one process per GPU)? [2] ")
    child.sendline("4")
    child.expect_exact("3/3  which framework (train.py imports torch.distributed)? [torch] ")
    child.sendline("")
    child.expect_exact("next:  muster run job.yaml")
    child.expect(pexpect.EOF)
    child.wait()  # close() would signal it after 0.1 s
    child.close()
    text = (muster.work / "job.yaml").read_text()
    assert child.exitstatus == 0 and "train.py, --epochs, \"2\"]" in text and "workers: 4" in text and "framework: torch" in text


def test_an_answer_that_is_none_is_asked_for_again(muster, terminal):
    terminal.expect_exact("1/3")
    terminal.sendline("train.py")
    for wrong in ("lots", "0"):
        terminal.expect_exact("2/3  how many ranks")
        terminal.sendline(wrong)
    terminal.expect_exact("2/3  how many ranks")
    terminal.sendline("3")
    terminal.expect_exact("3/3  which framework")
    terminal.sendline("troch")
    terminal.expect_exact("did you mean `torch`?")
    terminal.expect_exact("3/3  which framework")
    terminal.sendline("torch")
    terminal.expect_exact("wrote job.yaml")


def test_a_file_elsewhere_runs_the_program_here(muster):
    muster.write("train.sh", "#!/bin/sh\necho ran\n").chmod(0o755)
    assert "mkdir -p" in muster("init", "-f", "sub/job.yaml", "-y", "train.sh").err
    (muster.work / "sub").mkdir()
    muster.ok("init", "-f", "sub/job.yaml", "-y", "train.sh")
    assert muster.ok("run", "-q", "sub/job.yaml").out == "ran\n"


def test_ctrl_d_writes_nothing(muster, terminal):
    terminal.expect_exact("1/3")
    terminal.sendeof()
    terminal.expect_exact("nothing was written")
    terminal.expect(pexpect.EOF)
    terminal.wait()  # close() would signal it after 0.1 s
    terminal.close()
    assert terminal.exitstatus != 0 and not (muster.work / "job.yaml").exists()
