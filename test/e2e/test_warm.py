# SPDX-License-Identifier: Apache-2.0
"""Ranks forked from a warm parent behave like executed ones. Runs programs that would show a difference, in both ways."""

import os
import re
import shutil
import signal
from pathlib import Path

import pytest

from leaks import names_in, runtime_folder
from processes import alive, all_pids, parent, words_of
from waiting import wait_for

PROGRAMS = Path(__file__).parent / "warm"
# Standard library modules, so no framework is needed: it matters that they are imported early, not what they are.
MODULES = "warm=[decimal, json, logging, multiprocessing, random, ctypes, threading]"
PYTHON = shutil.which("python3")


def run(muster, words, *flags, warm, ranks=1):
    """The output of each rank and the job's end; values that must differ (ids, pids) are masked."""
    name = "warm" if warm else "cold"
    meeting = muster.home.parent / f"meeting-{name}"
    meeting.mkdir()
    how = MODULES if warm else "warm=off"
    done = muster("run", "--name", name, "-n", ranks, "--framework", "torch", "--set", how, "--env", f"MEETING={meeting}",
                  *flags, "--", *words)
    job = muster.job(name)
    told = [done.code]
    for rank in range(ranks):
        for stream in (".out", ".err"):
            text = muster.output_of(name, rank=rank).with_suffix(stream).read_text()
            text = text.replace(job["id"], "(id)").replace(f"meeting-{name}", "meeting").replace(name, "(name)")
            told.append(re.sub(r"127(?:\.\d+){3}:28028|20\d{3}|2[1-7]\d{3}|[Tt]hread 0x\w+|agent-\d+-\d+|\b\d{5,7}\b", "(number)", text))
    return told, done


def forked(muster, job="warm", rank=0):
    """Whether the rank came from a warm parent: then modules are loaded before it imports them."""
    return "yes" in muster.output_of(job, rank=rank).read_text()


@pytest.mark.parametrize("program", sorted(path.stem for path in PROGRAMS.glob("*.py") if path.stem != "neighbour_module"))
def test_a_program_cannot_tell(muster, program):
    for path in (PROGRAMS / f"{program}.py", PROGRAMS / "neighbour_module.py"):
        shutil.copy(path, muster.work)
    words = [PYTHON, f"{program}.py", "--rate", "0.1", ""]
    ranks = 2 if "ranks" in program else 1
    cold, _ = run(muster, words, warm=False, ranks=ranks)
    warm, done = run(muster, words, warm=True, ranks=ranks)
    assert "without warm imports" not in done.err, done
    assert warm == cold


@pytest.mark.parametrize("words", [
    ["-m", "package.train", "x"],
    ["-c", "import sys; print(sys.argv, sys.path, __name__); print('forked', 'decimal' in sys.modules)", "x"],
    ["-u", "-W", "error", "-X", "dev", "show.py"],
    ["-OO", "-B", "-P" if os.sys.version_info >= (3, 11) else "-s", "show.py"],
    ["link.py", "x"],
    ["./folder/../show.py"],
])
def test_a_command_line_means_the_same(muster, words):
    forked_or_not = "print('forked', 'decimal' in sys.modules)\n"
    show = "import sys\nprint(sys.argv, sys.path, sys.flags, sys.warnoptions, __file__, __doc__, __debug__)\n" + forked_or_not
    muster.write("show.py", show)
    (muster.work / "folder").mkdir()
    (muster.work / "folder" / "real.py").write_text(show)
    (muster.work / "link.py").symlink_to("folder/real.py")
    (muster.work / "package").mkdir()
    (muster.work / "package" / "__init__.py").write_text("")
    (muster.work / "package" / "train.py").write_text(show + "print(__package__, __spec__.name)\n")
    cold, _ = run(muster, [PYTHON, *words], warm=False)
    warm, done = run(muster, [PYTHON, *words], warm=True)
    assert "forked False" in cold[1] and "forked True" in warm[1], done
    assert [str(text).replace("forked True", "forked False") for text in warm] == [str(text) for text in cold]


@pytest.mark.parametrize("locale", ["C", "C.UTF-8", "no_SUCH"])
def test_the_locale_is_the_ranks_own(muster, locale):
    muster.env["LANG"] = locale
    muster.write("show.py", "import locale, os, sys\nprint(os.environ.get('LC_CTYPE'), sys.stdout.encoding, sys.stdout.errors, "
                            "locale.setlocale(locale.LC_CTYPE), list(os.environ))\n")
    cold, _ = run(muster, [PYTHON, "show.py"], warm=False)
    warm, done = run(muster, [PYTHON, "show.py"], warm=True)
    assert "without warm imports" not in done.err, done
    assert warm == cold


SEES = "import sys\nprint('yes' if 'decimal' in sys.modules else 'no')\n"


def test_ranks_are_forked(muster):
    muster.write("sees.py", SEES)
    run(muster, [PYTHON, "sees.py"], warm=True, ranks=2)
    run(muster, [PYTHON, "sees.py"], warm=False)
    assert [forked(muster, "warm", rank) for rank in (0, 1)] == [True, True]
    assert not forked(muster, "cold")


@pytest.mark.parametrize("warm", ["[slow_module]", "off"])
def test_imports_are_told_as_such_whoever_makes_them(muster, warm):
    muster.env["PYTHONPATH"] = str(Path(__file__).parent)
    muster.write("slow_module.py", "import time\ntime.sleep(1)\n")
    muster.write("meets.py", "import slow_module\nfrom rendezvous import call\ncall('barrier', 'all')\n")
    muster.ok("run", "-n", "2", "--name", "train", "--set", f"warm={warm}", "--", PYTHON, "meets.py")
    job = muster.job("train")
    assert job["spent"]["import"] >= 0.9, job
    assert ("importing" in job["attempts"][0]) == (warm != "off")


@pytest.mark.parametrize("words, why", [
    ([PYTHON, "-I", "sees.py"], "the command is not a Python program that can be started warm"),
    ([PYTHON, "-S", "sees.py"], "the command is not a Python program that can be started warm"),
    (["sh", "-c", f"exec {PYTHON} sees.py"], "the command is not a Python program that can be started warm"),
])
def test_what_cannot_be_forked_is_executed(muster, words, why):
    muster.write("sees.py", SEES)
    _, done = run(muster, words, warm=True)
    assert done.code == 0
    assert not forked(muster)
    assert why in muster.ok("describe", "warm").out + muster.ok("events", "warm").out + done.err


def test_a_module_that_fails_to_import_is_named_and_ranks_are_executed(muster):
    muster.write("sees.py", SEES)
    muster.write("broken_module.py", "raise OSError('no licence')\n")
    done = muster("run", "--name", "warm", "--set", "warm=[broken_module]", "--", PYTHON, "sees.py")
    assert done.code == 0
    assert "importing broken_module failed: OSError: no licence" in done.err


def test_a_module_that_starts_a_thread_is_named_and_ranks_are_executed(muster):
    muster.write("sees.py", SEES)
    muster.write("busy_module.py", "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()\n")
    done = muster("run", "--name", "warm", "--set", "warm=[decimal, busy_module]", "--", PYTHON, "sees.py")
    assert done.code == 0
    assert not forked(muster)
    assert "importing busy_module starts a thread, which a fork would lose" in done.err


def test_what_an_import_prints_is_every_ranks_output(muster):
    muster.write("loud_module.py", "import sys\nprint('loud out')\nprint('loud err', file=sys.stderr)\n")
    muster.write("sees.py", "import loud_module\nprint('after')\n")
    muster.ok("run", "--name", "warm", "-n", "2", "--set", "warm=[loud_module]", "--", PYTHON, "sees.py")
    for rank in (0, 1):
        out = muster.output_of("warm", rank=rank)
        assert out.read_text() == "loud out\nafter\n"
        assert out.with_suffix(".err").read_text() == "loud err\n"


def test_imported_objects_are_finalized_at_the_end(muster):
    """Objects in cycles too, as in an executed rank; nanobind reports those that remain as leaks."""
    muster.write("cycle_module.py", "import os\nclass Leaf:\n    def __del__(self, write=os.write): write(1, b'finalized\\n')\n"
                 "class Node: pass\nnode = Node(); node.me = node; node.leaf = Leaf()\n")
    muster.write("sees.py", SEES + "import cycle_module\n")
    for name, how in (("cold", "off"), ("warm", "[decimal, cycle_module]")):
        muster.ok("run", "--name", name, "--set", f"warm={how}", "--", PYTHON, "sees.py")
    assert [muster.output_of(name).read_text() for name in ("cold", "warm")] == ["no\nfinalized\n", "yes\nfinalized\n"]


def test_a_changed_module_makes_a_new_parent(muster):
    muster.write("word_module.py", "WORD = 'old'\n")
    muster.write("sees.py", """
import os, word_module
print(word_module.WORD, flush=True)
if os.environ["MUSTER_ATTEMPT"] == "1":
    open("word_module.py", "w").write("WORD = 'newer'\\n")
    os._exit(1)
""")
    muster.ok("run", "--name", "warm", "--set", "warm=[word_module]", "--set", "restarts.limit=1", "--", PYTHON, "sees.py")
    assert muster.output_of("warm", attempt=2).read_text() == "newer\n"


def test_the_parent_leaves_with_the_job_and_dies_with_its_agent(muster):
    muster.write("waits.py", "import os, signal\nprint(os.getpid(), flush=True)\nsignal.pause()\n")
    running = muster.start("run", "--name", "warm", "-n", "2", "--set", MODULES, "--", PYTHON, "waits.py")
    pids = [rank["pid"] for rank in running.says("ranks on") and muster.wait_for_ranks("warm")["ranks"]]
    new = names_in(runtime_folder()) - muster.runtime_before
    folders = [runtime_folder() / name for name in new if name.startswith("warm-")]
    assert len(folders) == 1
    agents = {int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1]) for pid in pids}
    assert len(agents) == 1, "both are the agent's own children"
    os.kill(agents.pop(), signal.SIGKILL)
    wait_for(lambda: not any(alive(pid) for pid in pids), lambda: "the ranks' end")
    running.end()
    wait_for(lambda: not folders[0].exists(), lambda: f"{folders[0]} to go")


def agents(muster):
    return muster.ok("ps", "--agents", "-o", "json").json()["agents"]


def wait_for_an_idle_agent(muster):
    return wait_for(lambda: agents(muster), lambda: "an agent that waits")[0]


@pytest.fixture
def stays(muster):
    """Keeps idle controllers, and agents with warm parents, alive for the whole test; agents end with their controller."""
    muster.env["MUSTER_IDLE"] = "10m"
    yield
    for pid in muster.processes("serve"):
        os.kill(pid, signal.SIGTERM)


def test_an_agent_waits_for_the_next_job_with_what_is_warm(muster, stays):
    muster.write("sees.py", "import os\n" + SEES + "print(os.environ['MUSTER_JOB_NAME'], os.getppid())\n")
    parents = []
    for name in ("first", "second"):
        muster.ok("run", "--name", name, "-n", "2", "--set", MODULES, "--", PYTHON, "sees.py")
        idle = wait_for_an_idle_agent(muster)
        assert idle["warm"] == "sees.py"
        wait_for(lambda: agents(muster)[0]["memory_bytes"] > 1 << 20, lambda: "the memory to be measured")
        assert re.search(r"1 idle agent keeps imported packages for the next job, [0-9.]+ MiB of memory: muster ps --agents", muster.ok("ps").err)
        said = [muster.output_of(name, rank=rank).read_text().split() for rank in (0, 1)]
        assert all(words == ["yes", name, str(idle["pid"])] for words in said), said
        parents.append(idle["pid"])
    assert parents[0] == parents[1], "the same agent"
    assert "ended 1 agent" in muster.ok("rm", "--idle").err
    wait_for(lambda: not alive(parents[0]), lambda: "the agent's end")
    assert agents(muster) == []


def test_ranks_of_the_next_job_carry_its_marks(muster, stays):
    muster.write("sees.py", "import os\n" + SEES + "print('MUSTER_JOB_ID=' + os.environ['MUSTER_JOB_ID'] in open('/proc/self/environ').read())\n")
    for name in ("first", "second"):
        muster.ok("run", "--name", name, "--set", MODULES, "--", PYTHON, "sees.py")
        assert muster.output_of(name).read_text() == "yes\nTrue\n"
        wait_for_an_idle_agent(muster)


def test_a_job_of_another_program_takes_the_agent_and_a_new_parent(muster, stays):
    muster.write("one.py", SEES)
    muster.write("two.py", SEES + "import os, sys\nprint(sys.argv, os.environ.get('MINE'))\n")
    muster.ok("run", "--name", "one", "--set", MODULES, "--", PYTHON, "one.py")
    first = wait_for_an_idle_agent(muster)["pid"]
    muster.ok("run", "--name", "two", "--set", MODULES, "--", PYTHON, "two.py", "x", env={"MINE": "new"})
    assert muster.output_of("two").read_text() == "yes\n['two.py', 'x'] new\n"
    assert wait_for_an_idle_agent(muster) | {"since": "", "memory_bytes": 0} == {"pid": first, "warm": "two.py", "since": "", "memory_bytes": 0}


def test_an_idle_agent_that_dies_is_not_missed(muster, stays):
    muster.write("sees.py", SEES)
    muster.ok("run", "--set", MODULES, "--", PYTHON, "sees.py")
    pid = wait_for_an_idle_agent(muster)["pid"]
    os.kill(pid, signal.SIGKILL)
    wait_for(lambda: not alive(pid), lambda: "the agent's end")
    muster.ok("run", "--set", MODULES, "--", PYTHON, "sees.py")
    assert wait_for_an_idle_agent(muster)["pid"] != pid


def test_idle_agents_leave_with_a_controller_that_is_killed(muster, stays):
    muster.write("sees.py", SEES)
    muster.ok("run", "--set", MODULES, "--", PYTHON, "sees.py")
    pid = wait_for_an_idle_agent(muster)["pid"]
    (controller,) = muster.processes("serve")
    os.kill(controller, signal.SIGKILL)
    wait_for(lambda: not alive(pid), lambda: "the agent's end")
    muster.ok("ps")  # the next controller takes over its socket


def test_executed_jobs_leave_one_agent_with_nothing_warm_to_the_next(muster, stays):
    muster.ok("run", "--set", "warm=off", "--", PYTHON, "-c", "pass")
    (waits,) = wait_for(lambda: agents(muster), "the agent to wait")
    assert waits["warm"] == ""
    muster.ok("run", "--", "true")
    (waits_again,) = wait_for(lambda: agents(muster), "the agent to wait again")
    assert waits_again["pid"] == waits["pid"]
    assert muster.ok("ps", "--agents", "-o", "name").out == f"{waits['pid']}\n"
    assert muster("run", "--", "sh", "-c", "sleep 600 & exit 3").code == 1
    wait_for(lambda: agents(muster), "the agent to wait behind a job that failed, too")
    muster.ok("rm", "--idle")
    wait_for(lambda: not alive(waits["pid"]), "the agent's end")
    assert "no agent is waiting for a job" in muster.ok("ps", "--agents").err
    assert "choose one" in muster("rm", "--idle", "--all").err


@pytest.mark.parametrize("damage", ["sys.stdout.close()", "sys.path[:] = []", "os.closerange(3, 64)", "os._exit(3)",
                                    "os.kill(os.getpid(), 11)", "sys.exit(5)", "socket.socket().listen()"])
def test_a_program_never_runs_in_the_parent(muster, damage):
    muster.write("damaging_module.py", f"import os, sys, socket\nif 'RANK' not in os.environ:\n    kept = {damage}\n"
                 if "=" not in damage else "import os, sys\nif 'RANK' not in os.environ:\n    sys.path[:] = []\n")
    muster.write("notes.py", "import os\nopen('ran', 'a').write(os.environ.get('RANK', 'none') + ' ')\n")
    muster.ok("run", "-n", "2", "--framework", "torch", "--set", "warm=[damaging_module]", "--", PYTHON, "notes.py")
    assert sorted((muster.work / "ran").read_text().split()) == ["0", "1"]


def test_an_executed_job_takes_nothing_from_a_warm_agent(muster, stays):
    muster.write("sees.py", SEES)
    for name, how in (("first", MODULES), ("second", "warm=off")):
        muster.ok("run", "--name", name, "--set", how, "--", PYTHON, "sees.py")
    assert [muster.output_of(name).read_text() for name in ("first", "second")] == ["yes\n", "no\n"]


def test_what_outlives_a_job_has_no_secret_and_no_variable_of_its_shell(muster, stays):
    names = ("NAMED", "SOME_API_KEY", "OF_THE_SHELL")
    values = {"NAMED": "open-sesame", "SOME_API_KEY": "0123456789abcdef0123456789abcdef", "OF_THE_SHELL": "an editor"}
    muster.write("sees.py", "import os\n" + SEES + f"print([os.environ[name] for name in {names}])\n")
    told = f"yes\n{[values[name] for name in names]}\n"
    for job in ("first", "second"):
        muster.ok("run", "--name", job, "-e", "NAMED", "--set", MODULES, "--", PYTHON, "sees.py", env=values)
        assert muster.output_of(job).read_text() == told
        agent = wait_for_an_idle_agent(muster)["pid"]
    services = [*muster.processes("serve"), *muster.processes("agent")]
    parents = [pid for pid in all_pids() if parent(pid) == agent]
    assert agent in services and parents, (agent, services)
    for pid in {*services, *parents}:
        held = words_of(pid, "environ")
        assert held and not [word for word in held if word.startswith(tuple(name + "=" for name in names))], (pid, held)
