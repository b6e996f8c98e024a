# SPDX-License-Identifier: Apache-2.0
"""A rank gets the environment of the shell that ran `muster run` (interpreter, variables, PATH, folder, limits), not the controller's."""

import json

from programs import WORK

SEEN = """\
import json, os, sys
wanted = ("GREETING", "PATH", "CONDA_PREFIX", "HOME", "EDITOR")
print(json.dumps({"python": sys.executable, "folder": os.getcwd(), "stdin": os.readlink("/proc/self/fd/0"),
                  **{name: os.environ.get(name) for name in wanted}}))
"""


def seen_by(done):
    assert done.returncode == 0, done.stderr
    return [json.loads(line[line.index("{"):]) for line in done.stdout.splitlines()]


def test_the_shell_reaches_the_ranks(user):
    user.write("seen.py", SEEN)
    user.environment["GREETING"] = "grüß dich = ja\nzwei"
    first, second = seen_by(user.piped("muster", "run", "-n", "2", "--", "python", "seen.py"))
    assert first == second
    assert first["python"] == f"{user.conda}/bin/python"
    assert first["GREETING"] == "grüß dich = ja\nzwei"
    assert first["PATH"] == user.environment["PATH"]
    assert first["CONDA_PREFIX"] == str(user.conda)
    assert first["HOME"] == str(user.home)
    assert first["folder"] == str(user.project)
    assert first["stdin"] == "/dev/null"


def test_what_changed_since_the_controller_started_is_seen(user, tmp_path):
    user.write("seen.py", SEEN)
    user.environment["GREETING"] = "of the controller"
    assert user.piped("muster", "run", "--", "true").returncode == 0
    del user.environment["GREETING"]
    user.environment["EDITOR"] = "ed"
    user.environment["PATH"] = "/usr/bin:" + user.environment["PATH"]
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    shell = user.shell()
    shell.types(f"cd {elsewhere}; muster run -- python3 {user.project}/seen.py >{elsewhere}/seen; echo code $?\n")
    shell.shows(r"code 0")
    shell.types("exit\n")
    shell.ends()
    seen = json.loads((elsewhere / "seen").read_text())
    assert seen["GREETING"] is None
    assert seen["EDITOR"] == "ed"
    assert seen["python"] == "/usr/bin/python3"
    assert seen["folder"] == str(elsewhere)


def test_the_shells_umask_and_limits_reach_the_ranks(user):
    assert user.piped("muster", "run", "--", "true").returncode == 0
    shell = user.shell()
    shell.types("umask 027; ulimit -S -n 777; muster run -- sh -c 'umask; ulimit -S -n'; exit\n")
    assert shell.ends() == 0
    assert "0027" in shell.lines
    assert "777" in shell.lines


def test_a_restart_keeps_the_environment(user):
    """The next attempt uses the stored environment, not the controller's."""
    user.write("twice.py", "import os\nassert os.environ['MUSTER_ATTEMPT'] == '2'\nprint(os.environ['GREETING'])\n")
    assert user.piped("muster", "run", "--", "true").returncode == 0
    user.environment["GREETING"] = "again"
    done = user.piped("muster", "run", "--restarts", "1", "--set", "restarts.backoff.first=0s", "--", "python3", "twice.py")
    assert done.returncode == 0, done.stderr
    assert "again" in done.stdout.splitlines()


def test_no_descriptor_of_the_shell_is_kept(user, ranks):
    """`muster run … | cat` ends although the controller continues: it holds no pipe of the shell."""
    user.write("work.py", WORK)
    shell = user.shell()
    shell.types("muster run -d -- python3 work.py 2>&1 | cat; echo piped $?\n")
    shell.shows(r"piped 0")
    assert ranks.told() == "works 0 attempt 1"
    ranks.let_go()
    shell.types("muster wait @last; echo waited $?\n")
    shell.shows(r"waited 0")
    shell.types("exit\n")
    assert shell.ends() == 0
