# SPDX-License-Identifier: Apache-2.0
"""The home's disk is full, or fills up: the messages, and what continues.

The small disk is a tmpfs on the home, in namespaces of a shell. They need no privilege if the kernel allows them to users.
"""

import re
import shutil
import subprocess

import pytest

from programs import PREAMBLE

NAMESPACES = ["unshare", "--user", "--map-current-user", "--keep-caps", "--mount", "--"]
MOUNT = """\
mount -t tmpfs -o size=256k,mode=0700 tmpfs "$HOME" && mkdir "$HOME/project" && cd "$HOME/project" &&
exec setpriv --inh-caps=-all --ambient-caps=-all --bounding-set=-all bash --norc --noprofile"""
FILLED = "dd if=/dev/zero of=$HOME/ballast bs=1k 2>/dev/null; "

FILLS_IT = PREAMBLE + """\
print("works")
try:
    with open(os.environ["HOME"] + "/ballast", "wb", 0) as ballast:
        while True:
            ballast.write(b"x" * 100)
except OSError:
    tell("full")
wait_for_test()
"""

# More than a terminal and the agent hold.
PRINTS = """\
for i in range(100):
    print("line", i, "x" * 300)
"""


@pytest.fixture
def small_disk(user, ranks):
    """A shell whose home is a 256 KiB disk; paths are short enough for its lines."""
    if subprocess.run([*NAMESPACES, "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("this kernel lets no unprivileged user make namespaces, so there is no small disk to fill")
    shell = user.terminal(*NAMESPACES, "sh", "-c", MOUNT, PS1="$ ", columns=400)
    shell.shows(r"\$ ")
    return shell


def test_full_from_the_start(user, small_disk):
    small_disk.types(FILLED + "muster run -- echo ran; echo code $?\n")
    small_disk.shows(r"\ncode [38]\r")
    error = small_disk.line("^error: ")
    assert f"cannot write to {user.home}/.local/state/muster" in error
    assert "the disk is full (0 B free of 256" in error
    assert "ran" not in small_disk.lines


def test_full_when_the_controller_runs(user, small_disk):
    small_disk.types("muster run -- echo first; " + FILLED + "muster run -- echo second; echo code $?\n")
    small_disk.shows(r"\ncode 8\r")
    error = small_disk.line("^error: ")
    assert f"cannot write to {user.home}/.local/state/muster" in error
    assert "/.new-" not in error
    # What the first job's journal had reserved may become free after the disk was filled: too little for a second job.
    assert re.search(r"the disk is full \(\d+ (Ki)?B free of 256", error)
    assert "first" in small_disk.lines
    assert "second" not in small_disk.lines


def test_it_fills_up_under_a_job(ranks, small_disk):
    small_disk.types(f"cat >train.py <<'END'\n{FILLS_IT}END\nmuster run -- python3 train.py | cat; echo code ${{PIPESTATUS[0]}}\n")
    assert ranks.told() == "full"
    small_disk.shows(r"the disk .*full")
    ranks.let_go()
    small_disk.shows(r"\ncode 0\r")
    assert "works" in small_disk.lines
    small_disk.types("rm ~/ballast; muster run -- echo again\n")
    small_disk.shows(r"\nagain\r")


def test_output_that_found_no_room_is_told(small_disk):
    small_disk.types("""muster run -- python3 -c 'for i in range(400): print("x" * 1000)' | wc -l; muster why @last\n""")
    small_disk.shows("evidence:")
    small_disk.becomes(lambda lines: any("disk" in line and "full" in line for line in lines))


def test_output_of_a_terminal_waits_for_room(ranks, small_disk):
    small_disk.types(f"cat >train.py <<'END'\n{FILLS_IT}{PRINTS}END\n")
    small_disk.types('(until muster ps | grep -q "waits for its output from the terminal"; do sleep 0.1; done; muster why @last; rm ~/ballast) &\n')
    small_disk.types("muster run -- python3 train.py; echo code $?; muster why @last\n")
    assert ranks.told() == "full"
    ranks.let_go()
    small_disk.shows(r"waits for its output from the terminal of rank 0 to be stored: .*the disk is full \(0 B free of 256")
    small_disk.shows(r"\ncode 0\r")
    small_disk.shows("nothing failed")
    small_disk.types("echo whole lines: $(muster logs @last | grep -cE '^line [0-9]+ x{300}.?$')\n")
    small_disk.shows(r"whole lines: 100\r")


def test_a_state_folder_that_is_not_ours(user):
    (user.home / ".local").mkdir(mode=0o500)
    screen = user.muster("run", "--", "echo", "ran", columns=200)
    assert screen.ends() == 0
    place = screen.line("jobs are kept in ")
    assert f"{user.home}/.local (HOME) cannot be written" in place
    assert "ran" in screen.lines
    shutil.rmtree(user.home / ".local")
