# SPDX-License-Identifier: Apache-2.0
"""Python code of muster itself does not execute files of the current folder that have the names of Python's modules."""

import shutil

import pytest

MODULES = ["ast", "email", "importlib", "json", "os", "platform", "re", "runpy", "traceback", "types"]
# A rank may execute them, as without muster. It has a RANK.
TELLS = """
with open("/proc/self/environ", "rb") as environ:
    if b"\\0RANK=" not in b"\\0" + environ.read():
        with open({mark!r}, "a") as mark:
            mark.write(__name__ + "\\n")
"""
PYTHON = shutil.which("python3")


@pytest.fixture
def executed(muster):
    """Writes such files. Returns the modules that were executed outside ranks."""
    mark = muster.home.parent / "executed"
    for name in MODULES:
        muster.write(f"{name}.py", TELLS.format(mark=str(mark)))
    return lambda: mark.read_text().split() if mark.exists() else []


def test_the_files_would_be_executed(muster, executed):
    muster.shell(f"{PYTHON} -c 'import json'")
    assert executed() == ["json"]


@pytest.mark.parametrize("path", [None, ":/nowhere", "."])
@pytest.mark.parametrize("words", [["doctor", "-o", "json"], ["facts", "--python", "python3"]])
def test_doctor_and_facts_execute_no_file_of_the_folder(muster, executed, words, path):
    done = muster(*words, env={"PYTHONPATH": path} if path else {}, stdin=b"now\n")
    assert "3." in done.out and "is not Python" not in done.out, done
    assert executed() == []


def test_doctor_finds_packages_of_pythonpath_and_a_file_that_hides_torch(muster, executed):
    library = muster.home.parent / "library"
    (library / "torch").mkdir(parents=True)
    (library / "torch" / "__init__.py").write_text("raise SystemExit('executed')\n")
    (library / "torch" / "version.py").write_text("__version__ = '9.8.7'\ncuda = '12.4'\n")
    path = {"PYTHONPATH": str(library)}
    assert "9.8.7" in muster("doctor", env=path).out
    torch = muster.write("torch.py", "raise SystemExit('executed')\n")
    assert str(torch) in muster("doctor", env=path).out
    assert executed() == []


def test_a_guess_executes_no_file_of_the_folder(muster, executed):
    muster.write("train.py", "import torch.distributed\n")
    assert "imports torch.distributed" in (done := muster("run", "--dry-run", "-n", "2", "--", PYTHON, "train.py")).out + done.err, done
    assert executed() == []


def test_the_scan_for_a_warm_start_executes_no_file_of_the_folder(muster, executed):
    muster.write("flax.py", "")  # long imports are worth a warm start
    muster.write("train.py", "import flax\nprint('trained')\n")
    assert muster.ok("run", "-n", "2", "--framework", "torch", "--", PYTHON, "train.py").out.count("trained") == 2
    assert executed() == []


def test_the_search_for_a_module_executes_no_file_of_the_folder(muster, executed):
    done = muster("torchrun", "-m", "no_such_module.train")
    assert done.code == 2 and "has no module `no_such_module`" in done.err, done
    muster.write("training.py", "")
    # The rank's Python executes them itself for -m.
    assert "has no module `training`" not in muster("torchrun", "-m", "training").err
    assert executed() == []


def test_run_path_executes_no_file_of_the_folder_before_the_script(muster, executed):
    mark = muster.home.parent / "of_ranks"
    for name in MODULES:
        muster.write(f"{name}.py", f"open({str(mark)!r}, 'a').write('{name}')\n")
    muster.write("neighbour.py", "print('found')\n")
    muster.write("train.py", "import neighbour\n")
    assert "found" in muster.ok("torchrun", "--run-path", "train.py").out
    assert not mark.exists(), mark.read_text()
