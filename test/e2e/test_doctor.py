# SPDX-License-Identifier: Apache-2.0
"""muster doctor on this machine: its findings are true, and it repairs what it says it repairs."""

import ctypes
import os
import resource
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from ranks import UNTIL_GO
from waiting import wait_for


STAND_IN = Path(os.environ["MUSTER_BINARY"]).parent / "stand_in" / "libnvml_stand_in.so"


@pytest.fixture
def gpus(muster):
    """The stand-in for the driver's library, with the environment that controls it."""
    def play(script):
        folder = muster.home.parent / "driver"
        folder.mkdir(exist_ok=True)
        shutil.copy(STAND_IN, folder / "libnvidia-ml.so.1")
        muster.env |= {"LD_LIBRARY_PATH": str(folder), "MUSTER_NVML_STAND_IN": script}
    return play


def findings(muster, *arguments, **options):
    done = muster("doctor", "-o", "json", *arguments, **options)
    return {one["subject"]: one for one in done.json()["findings"]}


def text_of(path):
    try:
        with open(path) as file:
            return file.read()
    except OSError:
        return ""


def test_each_finding_says_what_to_do(muster):
    done = muster("doctor", "-o", "json")
    found = done.json()["findings"]
    assert done.code == (1 if any(one["level"] == "problem" for one in found) else 0)
    for one in found:
        assert set(one) == {"subject", "level", "text", "effect", "mend", "fixable"}, one
        assert one["text"] and (one["level"] == "ok" or one["mend"]), one
    names = muster("doctor", "-o", "name").lines()
    assert names == [one["subject"] for one in found if one["level"] == "problem"]


def test_what_it_says_of_this_machine_is_true(muster):
    found = findings(muster)
    assert socket.gethostname() in found["machine"]["text"]
    ours, online = len(os.sched_getaffinity(0)), os.sysconf("SC_NPROCESSORS_ONLN")
    assert (found["cpus"]["level"] == "ok") == (ours >= online) and found["cpus"]["text"].startswith(str(ours))
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    assert found["open files"]["text"].replace(",", "").startswith(str(files) if files != resource.RLIM_INFINITY else "unlimited")
    scope = text_of("/proc/sys/kernel/yama/ptrace_scope").strip()
    assert (found["tracing"]["level"] == "ok") == (scope in ("", "0", "1"))
    shared = os.statvfs("/dev/shm")
    assert (found["shared memory"]["level"] == "ok") == (
        shared.f_blocks * shared.f_frsize >= 1 << 30 and shared.f_bavail * shared.f_frsize >= 256 << 20)
    assert found["loopback"]["level"] == "ok"  # otherwise nothing here would run
    named = subprocess.run(["getent", "ahosts", socket.gethostname()], capture_output=True, check=False).returncode == 0
    assert (found["host name"]["level"] == "ok") == named
    first, last = map(int, text_of("/proc/sys/net/ipv4/ip_local_port_range").split())
    reserved = text_of("/proc/sys/net/ipv4/ip_local_reserved_ports").strip()
    if not reserved:
        assert (found["ports"]["level"] == "ok") == (first > 27999 or last < 20000)
    clock = ctypes.create_string_buffer(512)  # struct timex; TIME_ERROR is 5, STA_UNSYNC 0x40 of `status`
    state = ctypes.CDLL(None).adjtimex(clock)
    status = int.from_bytes(clock.raw[40:44], sys.byteorder)
    assert (found["clock"]["level"] == "ok") == (state < 0 or (state != 5 and not status & 0x40))
    if not os.path.exists("/sys/fs/cgroup/cgroup.controllers") and os.path.exists("/sys/fs/cgroup/memory"):
        assert (found["cgroup"]["level"], found["cgroup"]["text"]) == ("note", "v1")
    if not os.path.exists("/dev/nvidiactl"):
        assert found["gpus"]["text"] == "none found; jobs run on CPUs" and "gpu driver" not in found


def test_it_names_the_interpreter_and_its_packages(muster):
    asked = "import sys, torch, platform; print(sys.executable, platform.python_version(), torch.__version__.split('+')[0])"
    truth = muster.shell("python3 -c 'import sys, platform; print(sys.executable, platform.python_version())'").out.split()
    found = findings(muster, "--python", "python3")
    assert found["python"]["text"] == f"{truth[1]} at {truth[0]}"
    torch = subprocess.run([truth[0], "-c", asked], capture_output=True, text=True, check=False, env=muster.env)
    if torch.returncode == 0:
        assert torch.stdout.split()[2] in found["torch"]["text"]
    else:
        assert found["torch"]["text"] == "not installed"
    other = findings(muster, "--python", sys.executable)["python"]
    assert other["text"].startswith(".".join(map(str, sys.version_info[:3])) + " at ")


def test_an_interpreter_that_is_none(muster):
    assert "nowhere/python is not a program" in muster("doctor", "--python", "nowhere/python").out
    broken = muster.write("broken", "#!/bin/sh\nexit 3\n")
    os.chmod(broken, 0o755)
    done = muster("doctor", "--python", broken)
    assert done.code == 1 and "exited with code 3" in done.out


def test_an_interpreter_that_hangs_is_not_waited_for(muster):
    stuck = muster.write("stuck", "#!/bin/sh\nexec sleep 1000\n")
    os.chmod(stuck, 0o755)
    assert "did not answer within 4 s" in muster("doctor", "--python", stuck).out


def test_a_file_that_hides_torch(muster):
    muster.write("torch.py", "raise SystemExit(9)\n")
    found = findings(muster, "--python", "python3")["torch"]
    assert found["level"] == "problem" and str(muster.work / "torch.py") in found["text"]


def test_gpus_that_are_well(muster, gpus):
    gpus("gpus=2 driver=535.104.05 cuda=12020")
    found = findings(muster)
    assert found["gpus"] == {"subject": "gpus", "level": "ok", "text": "2 × Stand-in GPU, 10 GiB each", "effect": "", "mend": "", "fixable": False}
    assert found["gpu driver"]["text"] == "535.104.05, CUDA up to 12.2"
    assert not {"gpu mode", "gpu memory", "gpu users"} & set(found)


def test_gpus_that_are_not(muster, gpus):
    gpus("gpus=1 compute=2 ecc=7")
    done = muster("doctor")
    assert done.code == 1
    assert "GPU 0 is in compute mode Prohibited; no rank can use it" in done.out and "→ sudo nvidia-smi -i 0 -c DEFAULT" in done.out
    assert "GPU 0 had 7 memory errors that ECC could not correct" in done.out
    gpus("gpus=1 persistence=0")
    assert muster("doctor").code == 0 and "-pm 1" in findings(muster)["gpu mode"]["mend"]


def test_whoever_else_is_on_a_gpu(muster, gpus):
    with subprocess.Popen(["sleep", "1000"]) as other:
        gpus(f"gpus=1 processes={muster.write('processes', f'0 {other.pid}')}")
        said = findings(muster)["gpu users"]
        other.kill()
    assert said["text"].startswith("GPU 0 is used by ") and said["text"].endswith(f"'s sleep, pid {other.pid}")


def test_a_driver_that_hangs(muster, gpus):
    gpus("gpus=1 hang")
    assert "NVML did not answer within 2 s" in findings(muster)["gpus"]["text"]


def test_limits_of_this_shell(muster):
    done = muster.shell(f"ulimit -Sn 512; {muster.binary} doctor")
    assert "512 open files for each rank" in done.out and "→ ulimit -n " in done.out


def test_a_proxy_that_would_catch_the_loopback(muster):
    assert "proxy" not in findings(muster)
    caught = findings(muster, env={"HTTP_PROXY": "http://127.0.0.1:9"})["proxy"]
    assert caught["level"] == "note" and caught["mend"].startswith("export no_proxy=")
    spared = {"HTTP_PROXY": "http://127.0.0.1:9", "no_proxy": "localhost,127.0.0.1"}
    assert findings(muster, env=spared)["proxy"]["level"] == "ok"


def test_a_state_folder_that_cannot_be_written(muster):
    done = muster("doctor", env={"MUSTER_STATE_DIR": "/proc/nowhere"})
    assert done.code == 1 and "/proc/nowhere cannot be written" in done.out and "→ export MUSTER_STATE_DIR=" in done.out


def test_it_changes_nothing_unless_asked(muster):
    done = muster("doctor", "--fix", "--dry-run")
    assert f"would run: mkdir -p -m 700 {muster.state}\n" in done.err
    assert not muster.state.exists()
    assert muster("doctor", "--dry-run").code == 2


def test_fix_makes_and_closes_the_state_folder(muster):
    assert f"running: mkdir -p -m 700 {muster.state}\n" in muster("doctor", "--fix").err
    assert muster.state.stat().st_mode & 0o777 == 0o700
    muster.state.chmod(0o777)
    assert findings(muster)["state"]["level"] == "note"
    assert f"running: chmod go-w {muster.state}\n" in muster("doctor", "--fix").err
    assert findings(muster)["state"]["level"] == "ok"
    assert muster.state.stat().st_mode & 0o777 == 0o755


def test_fix_says_what_is_left_and_never_uses_sudo(muster):
    (muster.work / "bin").mkdir()
    os.chmod(muster.write("bin/sudo", "#!/bin/sh\ntouch ran\n"), 0o755)
    env = {"PATH": f"{muster.work}/bin:{muster.env['PATH']}", "HTTP_PROXY": "http://127.0.0.1:9"}
    assert "to do by hand: proxy: export no_proxy=" in muster("doctor", "--fix", env=env).err
    assert not (muster.work / "ran").exists()


def test_fix_sweeps_sockets_of_the_dead(muster):
    gone = subprocess.Popen(["true"])
    gone.wait()
    os.makedirs(f"/tmp/muster-{os.getuid()}", 0o700, exist_ok=True)
    left = Path(f"/tmp/muster-{os.getuid()}/agent-{gone.pid}.sock")

    def swept_by_us():  # a controller of this user that is just starting sweeps, too
        left.touch()
        said = muster("doctor", "--fix").err
        assert not left.exists()
        return f"running: rm -rf {left}" in said
    wait_for(swept_by_us, "the doctor to be the first")


def leases_of(pids):
    """Names of the leases that one of these processes signed."""
    return {path.name for path in Path("/tmp/muster-leases").iterdir() if text_of(path).strip() in map(str, pids)}


def test_fix_sweeps_leases_that_nobody_holds(muster):
    muster.submit("--name", "holder", "-n", 2, "--framework", "torch", "--", "sh", "-c", UNTIL_GO)
    muster.wait_for_ranks("holder")
    holders = muster.processes("serve") + muster.processes("agent")
    held = leases_of(holders)
    assert held
    dead = Path(f"/tmp/muster-leases/port-29{os.getpid()}")
    dead.write_text("1\n")
    muster("doctor", "--fix")
    assert not dead.exists()  # removed by doctor, or by another process that read the leases before it
    assert leases_of(holders) == held
    (muster.work / "go").write_text("")
    assert muster("wait", "holder").code == 0


def test_fix_ends_an_idle_controller_of_another_build(muster, own_program):
    muster.env["MUSTER_IDLE"] = "1m"
    muster.ok("run", "-q", "--", "true")
    old = muster.controller()
    assert f"pid {old}" in findings(muster)["controller"]["text"]
    own_program()
    assert "of another build" in findings(muster)["controller"]["text"]
    assert f"running: kill {old}\n" in muster("doctor", "--fix").err
    wait_for(lambda: not os.path.exists(f"/proc/{old}"), "the controller's end")


def test_a_busy_controller_of_another_build_is_left_alone(muster, own_program):
    muster.submit("--name", "busy", "--", "sh", "-c", UNTIL_GO)
    muster.wait_for_ranks("busy")
    own_program()
    found = findings(muster, "--fix")["controller"]
    assert found["level"] == "note" and not found["fixable"] and "another build" in found["text"]
    (muster.work / "go").write_text("")
    assert muster("wait", "busy").code == 0


@pytest.mark.parametrize("variable, value, subject, words, mend", [
    ("TMPDIR", "/nowhere/at/all", "temporary files", "does not exist", "mkdir -p /nowhere/at/all"),
    ("MUSTER_KEEP_SIZE", "lots", "settings", "MUSTER_KEEP_SIZE", "unset MUSTER_KEEP_SIZE"),
    ("MUSTER_IDLE", "lots", "settings", "MUSTER_IDLE", "unset MUSTER_IDLE"),
    ("MUSTER_STATE_DIR", "/proc/muster", "state", "cannot be written", "export MUSTER_STATE_DIR="),
])
def test_a_variable_that_stops_every_job_is_named(muster, variable, value, subject, words, mend):
    muster.env |= {variable: value}
    found = findings(muster)[subject]
    assert found["level"] == "problem" and words in found["text"] and found["mend"].startswith(mend), found
