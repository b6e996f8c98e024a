# SPDX-License-Identifier: Apache-2.0
"""Copying a job's code to hosts (workdir: {sync: true}) and its results back (muster fetch), over a real sshd."""

import pytest

from desk import Desk

HERE = "/home/mia/code dir"
SYNC = ["--set", "workdir.sync=true", "--workdir", HERE]


@pytest.fixture
def desk(network, hosts):
    desk = Desk(network)
    network.here.write(f"{HERE}/train.sh", "echo first from $(basename \"$PWD\"); ls -A; mkdir -p out; echo $MUSTER_RANK >out/rank", 0o755)
    network.here.write(f"{HERE}/data/big.bin", "x" * 100_000)
    network.here.write(f"{HERE}/.musterignore", "/data\n")
    yield desk
    desk.end()
    network.here.run("rm", "-rf", HERE, "/home/mia/.config")


def run(desk, *words, hosts="a1,a2", command=("sh", "train.sh")):
    return desk.muster("run", "--backend", "ssh", "--hosts", hosts, *SYNC, *words, "--", *command)


def archives(host):
    return host.run("sh", "-c", "ls /home/mia/.cache/muster/trees 2>/dev/null || true").split()


def test_code_is_there_without_anybody_having_put_it_there(network, hosts, desk):
    done = run(desk)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("first from") == 2 and "train.sh" in done.stdout
    assert "data" not in done.stdout and "muster copies the code to the hosts as it is now: 2 files" in done.stderr
    assert len(archives(hosts[0])) == len(archives(hosts[1])) == 1


def test_it_is_sent_once_a_change(network, hosts, desk):
    assert run(desk).returncode == 0
    before = archives(hosts[0])
    assert run(desk).returncode == 0
    assert archives(hosts[0]) == before
    network.here.write(f"{HERE}/train.sh", "echo second")
    done = run(desk)
    assert "second" in done.stdout and len(archives(hosts[0])) == 2, done.stderr


def test_editing_after_submit_changes_nothing(network, hosts, desk):
    done = desk.muster("submit", "-q", "--hold", "--backend", "ssh", "--hosts", "a1", *SYNC, "--", "sh", "train.sh")
    assert done.returncode == 0, done.stderr
    network.here.write(f"{HERE}/train.sh", "echo second")
    name = done.stdout.strip()
    assert desk.muster("release", name).returncode == 0
    desk.wait_until(name, "succeeded")
    assert "first" in desk.muster("logs", name).stdout


def test_too_much_is_refused_before_anything_is_asked(network, hosts, desk):
    done = run(desk, "--set", "workdir.max=10B")
    assert done.returncode == 2 and "E1408" in done.stderr and ".musterignore" in done.stderr, done.stderr


def test_files_that_git_ignores_by_any_rule_are_not_sent(network, hosts, desk):
    """The job starts below the repository's root, whose .gitignore has a rule for it."""
    network.here.write(f"{HERE}/job/list.sh", "ls -A; ls -A out", 0o755)
    for name in ("a.py", "a.ckpt", "private", "b.swp", "out/known", "out/junk"):
        network.here.write(f"{HERE}/job/{name}", "x")
    network.here.write("/home/mia/.config/git/ignore", "*.swp\n")
    network.here.write(f"{HERE}/.gitignore", "*.ckpt\n/job/out\n")
    network.as_user("git", "init", "-q", HERE)
    network.here.write(f"{HERE}/.git/info/exclude", "private\n")
    network.as_user("git", "-C", HERE, "add", "--force", "job/out/known")
    done = desk.muster("run", "--backend", "ssh", "--hosts", "a1", "--set", "workdir.sync=true", "--workdir", f"{HERE}/job", "--", "sh", "list.sh")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["a.py", "list.sh", "out", "known"]


def test_results_come_back(network, hosts, desk):
    done = desk.muster("submit", "-q", "--backend", "ssh", "--hosts", "a1,a2", *SYNC, "--", "sh", "train.sh")
    name = done.stdout.strip()
    desk.wait_until(name, "succeeded")
    done = desk.muster("fetch", name, "out", "--to", "/home/mia/got here")
    assert done.returncode == 0, done.stderr
    assert network.here.file("/home/mia/got here/out/rank").read_text() == "0\n"
    done = desk.muster("fetch", name, "out/rank", "--host", "a2", "--to", "/home/mia/got here")
    assert done.returncode == 0, done.stderr
    assert network.here.file("/home/mia/got here/out/rank").read_text() == "1\n"
    assert network.here.run("ls", "-A", "/home/mia/got here").split() == ["out"]


def test_what_is_not_there_is_said_with_its_host(network, hosts, desk):
    done = desk.muster("submit", "-q", "--backend", "ssh", "--hosts", "a1", *SYNC, "--", "sh", "train.sh")
    name = done.stdout.strip()
    desk.wait_until(name, "succeeded")
    done = desk.muster("fetch", name, "missing", "--to", "/home/mia/got")
    assert done.returncode == 5 and "a1: error: there is no missing in " in done.stderr, done.stderr
    assert network.here.run("ls", "-A", "/home/mia/got") == "", "nothing half-way is left"


def test_one_file_that_cannot_be_read_is_named_and_the_rest_comes(network, hosts, desk):
    script = "mkdir out; echo one >out/one; echo key >out/key; chmod 0 out/key; echo two >out/two"
    done = desk.muster("submit", "-q", "--backend", "ssh", "--hosts", "a1", *SYNC, "--", "sh", "-c", script)
    name = done.stdout.strip()
    desk.wait_until(name, "succeeded")
    done = desk.muster("fetch", name, "out", "--to", "/home/mia/got-one")
    assert done.returncode == 1 and "not copied from a1: out/key: Cannot open: Permission denied" in done.stderr, done.stderr
    assert network.here.run("ls", "/home/mia/got-one/out").split() == ["one", "two"]


def test_many_files_that_cannot_be_read_do_not_stop_it(network, hosts, desk):
    script = "mkdir out; cd out; for i in $(seq 3000); do echo x >a-file-with-a-name-of-some-length-$i; done; chmod 0 *; echo last >z"
    done = desk.muster("submit", "-q", "--backend", "ssh", "--hosts", "a1", *SYNC, "--", "sh", "-c", script)
    name = done.stdout.strip()
    desk.wait_until(name, "succeeded")
    done = desk.muster("fetch", name, "out", "--to", "/home/mia/got-many")
    assert done.returncode == 1 and " more" in done.stderr, done.stderr
    assert network.here.run("ls", "/home/mia/got-many/out").split() == ["z"]


def test_no_more_is_unpacked_than_was_said(network, hosts, desk):
    script = "mkdir out; head -c 20000000 /dev/zero >out/zeros"
    done = desk.muster("submit", "-q", "--backend", "ssh", "--hosts", "a1", *SYNC, "--", "sh", "-c", script)
    name = done.stdout.strip()
    desk.wait_until(name, "succeeded")
    done = desk.muster("fetch", name, "out", "--to", "/home/mia/got-most", "--most", "10MB")
    assert done.returncode != 0 and "a1: it sent more than 9.5 MiB (--most); no files were kept" in done.stderr, done.stderr
    assert network.here.run("ls", "-A", "/home/mia/got-most") == ""
    assert desk.muster("fetch", name, "out", "--to", "/home/mia/got-most", "--most", "30MB").returncode == 0
    assert network.here.file("/home/mia/got-most/out/zeros").stat().st_size == 20000000


def test_a_host_that_lies_writes_nowhere_else(network, hosts, desk):
    """A second fetch does not write through symbolic links that the first one brought."""
    done = desk.muster("submit", "-q", "--backend", "ssh", "--hosts", "a1", *SYNC, "--", "sh", "-c", "ln -s /home/mia out; mkdir two; mkdir two/out; echo evil >two/out/.profile")
    name = done.stdout.strip()
    desk.wait_until(name, "succeeded")
    assert desk.muster("fetch", name, "out", "--to", "/home/mia/got").returncode == 0
    work, = hosts[0].run("sh", "-c", "ls -d /home/mia/.cache/muster/code/*").split()
    hosts[0].run("sh", "-c", f"rm {work}/out && mv {work}/two/out {work}/out")
    assert desk.muster("fetch", name, "out", "--to", "/home/mia/got").returncode == 0
    assert not network.here.file("/home/mia/.profile").exists()
    assert network.here.file("/home/mia/got/out/.profile").read_text() == "evil\n"
