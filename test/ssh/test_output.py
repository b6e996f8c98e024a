# SPDX-License-Identifier: Apache-2.0
"""Output of ranks on hosts: complete on this machine, whatever happens to links, controllers and disks; nothing stays on the hosts."""

import subprocess

from waiting import wait_for

JOBS = "/home/mia/.cache/muster/jobs"
LINES = 2**17  # of 64 bytes: 8 MiB
FLOOD = f"seq -f %063.0f {LINES}"
GO = "while [ ! -e /tmp/go ]; do sleep 0.05; done"


def lines_of(start, end):
    return b"".join(b"%063d\n" % number for number in range(start, end + 1))


def printed(network, name, rank, *words):
    """The output of a rank as `logs` shows it, unchanged."""
    done = subprocess.run(network.words_of_muster("logs", name, "--no-prefix", "--rank", str(rank), *words), env=network.variables(),
                          stdin=subprocess.DEVNULL, capture_output=True, check=True, timeout=120)
    return done.stdout


def size_here(network):
    """Bytes of output in the controller's own files."""
    found = network.here.run("sh", "-c", "cat /home/mia/.local/state/muster/*/jobs/*/attempt-*/*.out 2>/dev/null | wc -c")
    return int(found)


def left_on(host):
    return host.run("sh", "-c", f"find {JOBS} -type f 2>/dev/null || true").split()


def finished(desk, name):
    done = desk.muster("wait", name)
    assert done.returncode == 0, done.stderr + desk.events(name)


def expect_all(network, hosts, name):
    for rank in (0, 1):
        assert printed(network, name, rank) == lines_of(1, LINES), f"rank {rank}"
    for host in hosts[:2]:
        wait_for(lambda host=host: host.run("sh", "-c", f"ls {JOBS} 2>/dev/null || true") == "", f"nothing to lie on {host.name}", 60)


def test_a_flood_is_here_when_its_job_is_over_and_nothing_stays(network, hosts, desk):
    name = desk.submit(FLOOD)
    finished(desk, name)
    expect_all(network, hosts, name)


def test_run_shows_both_streams_and_cut_letters_as_they_were(network, hosts, desk):
    script = "printf 'gr\\303'; sleep 0.3; printf '\\274n\\n'; echo late >&2; printf 'no end of line'"
    done = desk.muster("run", "--backend", "ssh", "--hosts", "a1,a2", "--workdir", "/", "--", "sh", "-c", script)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("grün") == 2 and done.stdout.count("no end of line") == 2
    assert (done.stdout + done.stderr).count("late") == 2


def test_both_streams_of_a_rank_are_in_order(network, hosts, desk):
    script = "for i in 1 2 3; do echo step $i; done; echo warning >&2; echo step 4; echo traceback >&2"
    name = desk.submit(script)
    desk.muster("wait", name)
    lines = desk.muster("logs", name).stdout.splitlines()
    for rank in (0, 1):
        own = [line.split("] ")[1] for line in lines if line.startswith(f"[{rank}]")]
        assert [line for line in own if line.startswith("step")] == ["step 1", "step 2", "step 3", "step 4"], lines
        assert own[-1] == "traceback", lines  # in a burst of a few lines the place of a warning is an estimate


def test_a_rank_that_fails_has_said_why(network, hosts, desk):
    name = desk.submit("[ $MUSTER_RANK = 1 ] || exec sleep 1000; echo 'ValueError: no such layer' >&2; exit 3", "--restarts", "0")
    desk.muster("wait", name)
    assert "no such layer" in desk.muster("why", name).stdout
    assert "no such layer" in desk.muster("logs", name, "--stream", "err").stdout


def test_a_killed_controller_loses_and_doubles_nothing(network, hosts, desk):
    name = desk.submit(f"{GO}; {FLOOD}; sleep 3")
    desk.wait_until(name, "running")
    for host in hosts[:2]:
        host.run("touch", "/tmp/go")
    wait_for(lambda: size_here(network) > 0, "some output to be here", 60)
    desk.kill_controller()
    desk.wait_for_event(name, "a new controller took the job over")
    finished(desk, name)
    expect_all(network, hosts, name)


def test_a_cut_link_loses_and_doubles_nothing(network, hosts, desk):
    name = desk.submit(f"{GO}; {FLOOD}; sleep 3")
    desk.wait_until(name, "running")
    for host in hosts[:2]:
        host.run("touch", "/tmp/go")
    wait_for(lambda: size_here(network) > 0, "some output to be here", 60)
    hosts[0].hang_up()
    hosts[0].serve(network.public_key)
    finished(desk, name)
    expect_all(network, hosts, name)


def test_a_host_that_is_away_while_its_gang_fails_hands_over_what_it_printed(network, hosts, desk):
    """The job waits for this output, although the host does not stop its ranks in time."""
    waits = "trap 'echo ended; exit 1' TERM; echo before; while :; do sleep 0.1; done"
    script = f"[ $MUSTER_ATTEMPT = 1 ] || exit 0; [ $MUSTER_RANK = 1 ] || {{ {waits}; }}; {GO}; exit 3"
    name = desk.submit(script, "--restarts", "1", "--set", "restarts.grace=1s")
    wait_for(lambda: printed(network, name, 0) == b"before\n", "the first line to be here", 60)
    hosts[0].hang_up()
    hosts[1].run("touch", "/tmp/go")
    wait_for(lambda: "still stopping" in desk.muster("describe", name).stdout, lambda: f"a1 to be missed: {desk.events(name)}", 90)
    hosts[0].serve(network.public_key)
    finished(desk, name)
    assert printed(network, name, 0, "--attempt", "1", "--stream", "out") == b"before\nended\n"
    assert "was lost" not in desk.events(name)


def test_a_follower_sees_a_line_at_once(network, hosts, desk):
    """Not timed: the rank waits until the line was seen."""
    name = desk.submit(f"echo ready; {GO}; echo gone")
    follower = subprocess.Popen(network.words_of_muster("logs", "-f", name, "--rank", "0", "--no-prefix"), env=network.variables(),
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    assert follower.stdout.readline() == "ready\n"
    for host in hosts[:2]:
        host.run("touch", "/tmp/go")
    assert follower.stdout.read() == "gone\n"
    assert follower.wait() == 0


def test_a_limit_holds_there_and_here(network, hosts, desk):
    name = desk.submit(f"{FLOOD}; sleep 3", "--set", "logs.max=1MiB")
    finished(desk, name)
    kept = printed(network, name, 0)
    assert 2**18 <= len(kept) <= 2**20 + 2**12
    assert lines_of(1, LINES).endswith(kept[-2**18:])
    blocks = network.here.run("sh", "-c", "du -sk /home/mia/.local/state/muster/*/jobs/*/attempt-1 | cut -f1")
    assert int(blocks) < 4 * 2**10
    for host in hosts[:2]:
        wait_for(lambda host=host: left_on(host) == [], f"nothing to lie on {host.name}", 30)


def test_a_full_disk_there_is_said(network, hosts, desk):
    hosts[0].run("mount", "-t", "tmpfs", "-o", "size=2m,mode=777", "tmpfs", "/mnt")
    try:
        hosts[0].run("sh", "-c", f"mkdir -p {JOBS} && mount --bind /mnt {JOBS} && chown mia {JOBS} /home/mia/.cache /home/mia/.cache/muster")
        name = desk.submit(f"{FLOOD} 2>/dev/null; true; sleep 2")
        finished(desk, name)
        events = desk.events(name)
        assert "output of ranks is being lost: " in events or "output of ranks may be lost: " in events
        assert printed(network, name, 1) == lines_of(1, LINES)
        first = printed(network, name, 0)[:2**20]
        assert len(first) == 2**20 and lines_of(1, LINES).startswith(first)
    finally:
        hosts[0].run("sh", "-c", f"umount {JOBS}; umount /mnt; rmdir {JOBS}")


def test_attempt_no_inodes_there_waits_for_them(network, hosts, desk):
    hosts[0].run("mount", "-t", "tmpfs", "-o", "size=2m,nr_inodes=60,mode=777", "tmpfs", "/mnt")
    try:
        hosts[0].run("sh", "-c", f"mkdir -p {JOBS} && mount --bind /mnt {JOBS} && chown mia {JOBS} /home/mia/.cache /home/mia/.cache/muster")
        hosts[0].run("sh", "-c", f"i=0; while touch {JOBS}/f$i 2>/dev/null; do i=$((i+1)); done")
        name = desk.submit("echo printed")
        waits = f"its output files on {hosts[0].name}: cannot write to "
        wait_for(lambda: waits in desk.muster("describe", name).stdout, lambda: f"the wait to be named: {desk.events(name)}", 60)
        assert "no inodes are left" in desk.events(name)
        hosts[0].run("sh", "-c", f"rm {JOBS}/f*")
        finished(desk, name)
        assert printed(network, name, 0) == b"printed\n"
    finally:
        hosts[0].run("sh", "-c", f"umount {JOBS}; umount /mnt; rmdir {JOBS}")
