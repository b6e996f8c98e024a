# SPDX-License-Identifier: Apache-2.0
"""Programs cannot tell what `warm: auto` imports early: packages that read rank-specific values, programs that prepare their
imports, files that change between two jobs. Each program runs executed first, then repeatedly while its imports are learned."""

import os
import re
import shutil

import pytest

PYTHON = shutil.which("python3")
# The start of every program: writes the modules that were loaded before its first import to a file for each rank.
EARLY = """import os, sys
with open("early." + os.environ["RANK"], "w") as file:
    file.write(" ".join(sorted(name for name in sys.modules if name.endswith("_package"))))
"""


@pytest.fixture
def packages(muster):
    """Writes an installed package: `packages("busy_package", text)`."""
    folder = muster.work / "lib" / "site-packages"
    folder.mkdir(parents=True)
    muster.env["PYTHONPATH"] = str(folder)

    def write(name, text):
        (folder / (name + ".py")).write_text(text)
    return write


def run(muster, name, *words, warm="auto", ranks=1, **options):
    """The output of the ranks, and the modules that were loaded early in each."""
    for path in muster.work.glob("early.*"):
        path.unlink()
    muster.ok("run", "--name", name, "-n", ranks, "--framework", "torch", "--set", f"warm={warm}", "--", PYTHON, "train.py", *words,
              **options)
    told = []
    for rank in range(ranks):
        out = muster.output_of(name, rank=rank)
        told.append(re.sub(r"\b\d{5,7}\b", "(number)", out.read_text() + out.with_suffix(".err").read_text()))
    early = [(muster.work / f"early.{rank}").read_text().split() for rank in range(ranks) if (muster.work / f"early.{rank}").exists()]
    return told, early


def learned(muster, *words, ranks=1, jobs=3):
    """Checks that all jobs print what an executed one does; returns the modules loaded early in the last job."""
    cold, _ = run(muster, "cold", *words, warm="off", ranks=ranks)
    early = None
    for number in range(jobs):
        warm, early = run(muster, f"warm{number}", *words, ranks=ranks)
        assert warm == cold
    return early


PLAIN = "WORD = 'plain'\n"

READS = {
    "a variable": "import os\nMINE = os.environ.get('LOCAL_RANK')\n",
    "by getenv": "import os\nMINE = os.getenv('RANK', 'none')\n",
    "in bytes": "import os\nMINE = os.environb.get(b'RANK')\n",
    "whether it is there": "import os\nMINE = 'WORLD_SIZE' in os.environ\n",
    "by a copy": "import os\nKEPT = os.environ.copy()\nMINE = KEPT.get('RANK')\n",
    "by a filter": "import os\nMINE = sorted(k for k in os.environ if k.startswith('LOCAL_'))\n",
    "by comparing": "import os\nMINE = [v for k, v in os.environ.items() if k == 'RANK']\n",
    "of muster": "import os\nMINE = os.environ.get('MUSTER_ATTEMPT')\n",
    "through proc": "MINE = b'RANK=' in open('/proc/self/environ', 'rb').read()\n",
    "and sets it": "import os\nos.environ.setdefault('MASTER_ADDR', 'nowhere')\nMINE = os.environ['MASTER_ADDR']\n",
}


@pytest.mark.parametrize("how", READS)
def test_a_package_that_reads_a_ranks_place_is_imported_by_the_rank(muster, packages, how):
    packages("placed_package", READS[how])
    packages("around_package", "import plain_package\nimport placed_package\n")
    packages("plain_package", PLAIN)
    muster.write("train.py", EARLY + "import around_package, placed_package\nprint(placed_package.MINE)\n")
    assert learned(muster, ranks=2) == [["plain_package"], ["plain_package"]]


def test_a_package_that_looks_for_other_variables_is_shared(muster, packages):
    packages("prefix_package", "import os\nMINE = {k: v for k, v in os.environ.items() if k.startswith('PREFIX_')}\n"
             "for name in os.environ:\n    pass\n")
    muster.env["PREFIX_A"] = "1"
    muster.write("train.py", EARLY + "import prefix_package\nprint(prefix_package.MINE)\n")
    assert learned(muster) == [["prefix_package"]]


LEAVES = {
    "a thread": "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()\nMINE = threading.active_count()\n",
    "a process": "import subprocess\nKEPT = subprocess.Popen(['sleep', '30'])\nMINE = KEPT.poll()\n",
    "a timer": "import signal\nsignal.setitimer(signal.ITIMER_REAL, 100)\nMINE = signal.getitimer(signal.ITIMER_REAL)[0] > 0\n",
    "a pipe": "import os\nKEPT = os.pipe()\nMINE = len(KEPT)\n",
    "a temporary file": "import tempfile\nKEPT = tempfile.TemporaryDirectory()\nMINE = len(KEPT.name)\n",
    "another folder": "import os\nos.chdir('/')\nMINE = os.getcwd()\n",
    "another umask": "import os\nMINE = os.umask(0o77)\n",
    "a seed": "import random\nrandom.seed(7)\nMINE = random.random()\n",
    "a warning of its importer": "import warnings\nwarnings.warn('go away', DeprecationWarning, stacklevel=2)\nMINE = 1\n",
}


@pytest.mark.parametrize("what", LEAVES)
def test_a_package_that_leaves_what_no_fork_hands_on_is_imported_by_the_rank(muster, packages, what):
    packages("leaving_package", LEAVES[what])
    packages("plain_package", PLAIN)
    muster.write("train.py", EARLY + "import plain_package\nimport leaving_package\nprint(leaving_package.MINE)\n"
                 "os.system('pkill -P %d sleep' % os.getpid())\n")
    assert learned(muster) == [["plain_package"]]


PREPARES = {
    "sys.path": ("sys.path.insert(0, 'vendored')", "print(other_package.WORD)"),
    "an import hook": ("sys.meta_path.insert(0, type('Hook', (), {'find_spec': lambda *_: None})())", ""),
    "a module of its own": ("import types; sys.modules['plain_package'] = types.ModuleType('plain_package')", ""),
    "filters of warnings": ("import warnings; warnings.simplefilter('error')", ""),
    "logging": ("import logging; logging.basicConfig(format='mine %(message)s')", ""),
    "its environment": ("os.environ['MODE'] = 'fast'", ""),
    "its folder": ("os.chdir('/')", ""),
    "its output": ("sys.stdout = open(1, 'w', buffering=1, closefd=False)", ""),
    "its arguments": ("sys.argv.append('more')", ""),
}


@pytest.mark.parametrize("what", PREPARES)
def test_what_a_program_does_first_comes_first(muster, packages, what):
    packages("plain_package", PLAIN)
    packages("other_package", """
import logging, os, sys, warnings
WORD = "installed"
try:
    warnings.warn("loud")
except UserWarning:
    print("an error")
print(os.environ.get("MODE"), os.getcwd() == "/", sys.argv, type(sys.meta_path[0]).__name__, type(sys.stdout).__name__)
logging.warning("logged")
""")
    (muster.work / "vendored").mkdir()
    (muster.work / "vendored" / "other_package.py").write_text("WORD = 'vendored'\n")
    first, then = PREPARES[what]
    muster.write("train.py", EARLY + f"{first}\nimport other_package\n{then}\n")
    assert learned(muster) == [[]]


def test_other_arguments_are_another_program(muster, packages):
    packages("plain_package", PLAIN)
    packages("extra_package", PLAIN)
    muster.write("train.py", EARLY + "import plain_package\nif '--extra' in sys.argv:\n    import extra_package\n"
                 "print('extra_package' in sys.modules)\n")
    assert learned(muster, "--extra") == [["extra_package", "plain_package"]]
    assert run(muster, "without")[0] == ["False\n"]


def test_an_edited_program_is_another(muster, packages):
    packages("mode_package", "import os\nMODE = os.environ.get('MODE')\n")
    muster.write("train.py", EARLY + "import mode_package\nprint(mode_package.MODE)\n")
    assert learned(muster) == [["mode_package"]]
    muster.write("train.py", EARLY + "os.environ['MODE'] = 'new'\nimport mode_package\nprint(mode_package.MODE)\n")
    assert run(muster, "edited") == (["new\n"], [[]])


def test_an_edited_module_of_the_program_makes_another_of_it(muster, packages):
    muster.env["MUSTER_IDLE"] = "4s"
    packages("mode_package", "import os\nMODE = os.environ.get('MODE')\n")
    muster.write("tools.py", "import mode_package\n")
    muster.write("train.py", EARLY + "import tools, mode_package\nprint(mode_package.MODE)\n")
    assert learned(muster) == [["mode_package"]]
    muster.write("tools.py", "import os\nos.environ['MODE'] = 'new'\nimport mode_package\n")
    assert run(muster, "edited") == (["new\n"], [[]])


def test_a_file_that_a_package_read_makes_a_new_parent_when_it_changes(muster, packages):
    muster.env["MUSTER_IDLE"] = "4s"
    settings = muster.work / "settings"
    packages("file_package", f"import pathlib\npath = pathlib.Path({str(settings)!r})\nWORD = path.read_text() if path.exists() else None\n"
             f"try:\n    OTHER = open({str(settings) + '2'!r}).read()\nexcept OSError:\n    OTHER = None\n")
    muster.write("train.py", EARLY + "import file_package\nprint(file_package.WORD, file_package.OTHER)\n")
    settings.write_text("old")
    assert learned(muster) == [["file_package"]]
    settings.write_text("newer")
    assert run(muster, "changed") == (["newer None\n"], [["file_package"]])
    (muster.work / "settings2").write_text("there")
    assert run(muster, "added") == (["newer there\n"], [["file_package"]])


def test_a_file_beside_the_program_that_hides_a_package_is_seen(muster, packages):
    muster.env["MUSTER_IDLE"] = "4s"
    packages("plain_package", PLAIN)
    muster.write("train.py", EARLY + "import plain_package\nprint(plain_package.WORD)\n")
    assert learned(muster) == [["plain_package"]]
    muster.write("plain_package.py", "WORD = 'my own'\n")
    assert run(muster, "hidden")[0] == ["my own\n"]


def test_the_users_own_customization_comes_before_the_imports(muster, packages):
    packages("sitecustomize", "import os\nos.environ['MODE'] = 'customized'\n")
    packages("mode_package", "import os\nMODE = os.environ.get('MODE')\n")
    muster.write("train.py", EARLY + "import mode_package\nprint(mode_package.MODE, os.environ['MODE'], 'sitecustomize' in sys.modules)\n")
    assert learned(muster) == [["mode_package"]]


def test_what_an_import_changes_of_the_process_stays_changed(muster, packages):
    packages("changing_package", "import os, resource\nos.nice(1)\nresource.setrlimit(resource.RLIMIT_CORE, (0, 0))\n")
    muster.write("train.py", EARLY + "import changing_package\nimport resource\n"
                 "print(os.nice(0), resource.getrlimit(resource.RLIMIT_CORE))\n")
    assert learned(muster) == [["changing_package"]]


def test_objects_that_speak_when_they_are_asked_are_not(muster, packages):
    (muster.work / "lib" / "site-packages" / "numpy").mkdir()
    packages("numpy/__init__", "")
    packages("numpy/random", "BitGenerator, MT19937 = type('BitGenerator', (), {}), type('MT19937', (), {})\nseed = set_state = lambda *_: None\n")
    packages("touchy_package", """import sys, numpy.random
class Old:
    @property
    def __class__(self):
        print("asked", file=sys.stderr)
        return object
KEPT, WORD = Old(), "touchy"
""")
    muster.write("train.py", EARLY + "import touchy_package\nprint(touchy_package.WORD)\n")
    assert learned(muster) == [["touchy_package"]]


def test_generators_without_a_seed_are_each_ranks_own(muster, packages):
    packages("random_package", "import random\nMINE = random.Random()\nSEEDED = random.Random(3)\nCOPY = random.Random()\n"
             "COPY.setstate(SEEDED.getstate())\n")
    muster.write("train.py", EARLY + "import random_package as r\nprint(r.SEEDED.random(), r.COPY.random())\n"
                 "open('drawn.' + os.environ['RANK'], 'w').write(str(r.MINE.random()))\n")
    assert learned(muster, ranks=2) == [["random_package"]] * 2
    assert (muster.work / "drawn.0").read_text() != (muster.work / "drawn.1").read_text()


def test_modules_of_the_parents_own_are_not_there(muster, packages):
    packages("plain_package", PLAIN)
    muster.write("train.py", EARLY + "import plain_package\n"
                 "print(sorted({'ctypes', '_ctypes', 'struct', '_socket', 'gc', 'ast', 'resource'} & set(sys.modules)))\n")
    assert learned(muster) == [["plain_package"]]


def test_an_interpreter_that_a_script_picks_is_executed(muster, packages):
    packages("plain_package", PLAIN)
    shim = muster.work / "python3"
    shim.write_text(f"#!/bin/sh\nexec {PYTHON} \"$@\"\n")
    shim.chmod(0o755)
    muster.write("train.py", EARLY + "import plain_package\n")
    for number in range(3):
        muster.ok("run", "--name", f"shim{number}", "--framework", "torch", "--set", "warm=auto", "--", shim, "train.py")
        assert (muster.work / "early.0").read_text() == ""


def test_an_import_that_ends_the_parent_is_told_and_not_tried_again(muster, packages):
    packages("ending_package", "import os\nif 'RANK' not in os.environ:\n    open('ended', 'a').write('x')\n    os._exit(3)\n")
    muster.write("train.py", EARLY + "import ending_package\nprint('done')\n")
    for number in range(4):
        assert run(muster, f"job{number}") == (["done\n"], [[]])
    assert (muster.work / "ended").read_text() == "x"
    assert "the warm parent ended while it imported modules" in muster.ok("events", "job1").out
    assert "without warm imports" not in muster.ok("events", "job2").out


def test_what_a_package_prepares_for_those_it_imports(muster, packages):
    packages("around_package", "import os\nimport plain_package\nos.environ['MODE'] = os.environ['RANK']\nimport mode_package\n")
    packages("mode_package", "import os\nMODE = os.environ.get('MODE')\n")
    packages("plain_package", PLAIN)
    muster.write("train.py", EARLY + "import around_package, mode_package\nprint(mode_package.MODE)\n")
    assert learned(muster, ranks=2) == [["plain_package"], ["plain_package"]]


def test_two_packages_that_read_a_place_around_the_same_one(muster, packages):
    packages("placed_package", READS["a variable"])
    for name in ("one_package", "two_package"):
        packages(name, "import placed_package\nMINE = placed_package.MINE\n")
    packages("plain_package", PLAIN)
    muster.write("train.py", EARLY + "import one_package, two_package, plain_package\nprint(one_package.MINE, two_package.MINE)\n")
    assert learned(muster, ranks=2) == [["plain_package"], ["plain_package"]]


def test_an_import_that_fails_fails_once(muster, packages):
    packages("failing_package", "print('tried')\nraise ImportError('not here')\n")
    packages("plain_package", "try:\n    import failing_package\nexcept ImportError:\n    pass\n")
    muster.write("train.py", EARLY + "import plain_package\nprint('done')\n")
    muster.ok("run", "--name", "cold", "--framework", "torch", "--set", "warm=off", "--", PYTHON, "train.py")
    for number in range(4):
        told, _ = run(muster, f"warm{number}")
        assert told == ["tried\ndone\n"]


@pytest.mark.parametrize("text, early", [
    ("import plain_package\nimport sys\nprint(plain_package.WORD)\n", True),
    ("import os\nos.environ['A'] = '1'\nimport plain_package\n", False),
    ("import own_module\nimport plain_package\n", False),
    ("class A:\n    import os\nimport plain_package\n", False),
    ("'''What it does.'''\nfrom __future__ import annotations\nRATE = 0.1\nimport plain_package\n", True),
])
def test_of_a_program_never_seen_only_the_first_imports_are_made_early(muster, packages, text, early):
    packages("plain_package", "import time\nWHEN = time.monotonic()\n" + PLAIN)
    muster.write("own_module.py", "")
    muster.write("train.py", text + "import time\nfrom plain_package import WHEN\n"
                 "start = float(open('/proc/self/stat').read().rsplit(')', 1)[1].split()[19]) / 100\n"
                 "print('early' if WHEN < start else 'late')\n")
    assert os.sysconf("SC_CLK_TCK") == 100
    told, _ = run(muster, "first")
    assert told[0].split()[-1] in (["early", "late"] if early else ["late"])
