# SPDX-License-Identifier: Apache-2.0
"""Jobs whose ranks run in a container image."""

import os
import signal
from pathlib import Path

from processes import alive
from waiting import wait_for

LOOK = ("cat /etc/marker; echo uid $(id -u); echo rank $MUSTER_RANK of $MUSTER_WORLD_SIZE; echo home $HOME; "
        "test -S $MUSTER_SOCKET && echo socket; echo shm $(df -P /dev/shm | tail -n 1 | awk '{print $2}'); cat here; "
        "echo mine > rank-$MUSTER_RANK; ls -l /proc/self/ns/pid | awk '{print $NF}'")


def test_rank_runs_in_the_image_with_the_users_id_folder_and_memory(muster, opener):
    muster.write("here", "of the working folder\n")
    done = muster.ok("run", "--in-image", opener.image, "-n", "2", "--", "sh", "-c", LOOK)
    shm = os.statvfs("/dev/shm")
    for rank in (0, 1):
        said = [line.removeprefix(f"[{rank}] ") for line in done.lines() if line.startswith(f"[{rank}] ")]
        assert said == ["of the image", f"uid {os.getuid()}", f"rank {rank} of 2", f"home {muster.home}", "socket",
                        f"shm {shm.f_blocks * shm.f_frsize // 1024}", "of the working folder", os.readlink("/proc/self/ns/pid")]
        assert (muster.work / f"rank-{rank}").read_text() == "mine\n"
        assert (muster.work / f"rank-{rank}").stat().st_uid == os.getuid()


def test_environment_is_the_images_and_the_jobs(muster, opener):
    muster.job_file(command=["env"], in_image=opener.image, env={"LEVEL": "debug"})
    said = muster.ok("run", "job.yaml", env={"ONLY_OF_THE_SHELL": "1", "NCCL_DEBUG": "INFO"}).lines()
    assert "LEVEL=debug" in said and "NCCL_DEBUG=INFO" in said and "PYTHONNOUSERSITE=1" in said
    assert not [line for line in said if line.startswith(("ONLY_OF_THE_SHELL", "container=", "APPTAINER_", "HOSTNAME="))]
    assert opener.program != "podman" or "FROM_IMAGE=yes" in said


def test_exit_codes_and_signals_are_those_of_the_rank(muster, opener):
    assert "rank 0 exited with code 7" in muster("run", "--in-image", opener.image, "--", "sh", "-c", "exit 7").err
    assert "rank 0 was killed by SIGSEGV" in muster("run", "--in-image", opener.image, "--", "sh", "-c", "kill -SEGV $$").err


def test_pid_is_that_of_the_host_and_exec_joins_the_image(muster, opener):
    muster.submit("--in-image", opener.image, "--name", "job", "--", "sh", "-c", "echo $$ > pid; sleep 1000")
    rank = muster.wait_for_ranks("job")["ranks"][0]
    assert int(muster.wait_for_file("pid")) == rank["pid"]
    assert muster.ok("exec", "job", "--", "cat", "/etc/marker").out == "of the image\n"
    muster.ok("stop", "job")
    muster.wait_for_state("cancelled", "job")
    assert not alive(rank["pid"])


def test_stopped_rank_has_its_grace(muster, opener):
    script = "trap 'echo saved > saved; exit 0' TERM; echo up > up; while :; do sleep 0.05; done"
    muster.submit("--in-image", opener.image, "--name", "job", "--", "sh", "-c", script)
    muster.wait_for_file("up")
    muster.ok("stop", "job")
    muster.wait_for_state("cancelled", "job")
    assert (muster.work / "saved").read_text() == "saved\n"


def test_restart_runs_in_the_same_image(muster, opener):
    script = "cat /etc/marker; echo attempt $MUSTER_ATTEMPT; test $MUSTER_ATTEMPT = 2"
    done = muster.ok("run", "--in-image", opener.image, "--restarts", "1", "--", "sh", "-c", script)
    assert done.lines().count("of the image") == 2 and "attempt 2" in done.lines()


def test_setup_runs_in_the_image_for_every_job(muster, opener):
    muster.job_file(command=["cat", "made"], setup=[["sh", "-c", "cat /etc/marker >> made"]], in_image=opener.image)
    assert muster.ok("run", "job.yaml").lines() == ["of the image"]
    assert muster.ok("run", "job.yaml").lines() == ["of the image"] * 2


def test_a_service_runs_in_the_image(muster, opener):
    muster.job_file(command=["sh", "-c", "until test -s served; do sleep 0.05; done; cat served"], framework="custom",
                    service=["sh", "-c", "cat /etc/marker > served"], in_image=opener.image)
    assert muster.ok("run", "job.yaml").lines() == ["of the image"]


def test_mount_is_seen_at_its_target(muster, opener, tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    (data / "set").write_text("a set\n")
    muster.job_file(command=["sh", "-c", "cat /opt/set; touch /opt/x || echo closed"],
                    in_image={"image": opener.image, "program": opener.program, "mounts": [f"{data}:/opt:ro"]})
    assert muster.ok("run", "job.yaml").lines() == ["a set", "closed"]


def test_program_that_the_image_does_not_have_is_named(muster, opener):
    done = muster("run", "--in-image", opener.image, "--", "python3", "train.py")
    assert done.code != 0 and "the image has no program `python3` in its PATH" in done.err, done


def test_image_that_does_not_exist_starts_no_rank(muster, opener):
    image = "localhost/no-such-image:1" if opener.program == "podman" else "./none.sif"
    done = muster("run", "--in-image", image, "--", "sh", "-c", "echo began > began")
    assert done.code != 0 and "in_image on" in done.err, done
    assert ("could not be fetched" if opener.program == "podman" else "there is no image") in done.err, done
    assert not (muster.work / "began").exists()


def test_killed_agent_leaves_no_container(muster, opener):
    muster.submit("--in-image", opener.image, "--name", "job", "--", "sleep", "1000")
    rank = muster.wait_for_ranks("job")["ranks"][0]["pid"]
    agent, guardian = muster.agent_of(rank)
    os.kill(agent, signal.SIGKILL)
    wait_for(lambda: not alive(guardian), "the guardian to end")
    assert not alive(rank)
    assert opener.left() == ""


def test_agent_killed_with_its_guardian_leaves_no_container(muster, opener):
    muster.submit("--in-image", opener.image, "--name", "job", "--", "sleep", "1000")
    rank = muster.wait_for_ranks("job")["ranks"][0]["pid"]
    for pid in reversed(muster.agent_of(rank)):
        os.kill(pid, signal.SIGKILL)
    wait_for(lambda: not alive(rank), "the rank to end")
    wait_for(lambda: opener.left() == "", "the container to end")


def test_manifest_runs_in_its_image_on_demand(muster, opener):
    muster.write("job.yaml", f"""apiVersion: batch/v1
kind: Job
metadata: {{name: job}}
spec:
  template:
    spec:
      containers:
        - name: train
          image: {opener.image}
          command: [sh, -c, "test ! -e /etc/marker || cat /etc/marker"]
""")
    plain = muster.ok("run", "job.yaml")
    assert plain.out == "" and "the image is not used here" in plain.err
    asked = muster.ok("run", "--in-image", "manifest", "job.yaml")
    assert asked.lines() == ["of the image"] and "the image is not used here" not in asked.err


VOLUMES = """apiVersion: batch/v1
kind: Job
metadata: {{name: job}}
spec:
  template:
    spec:
      containers:
        - name: train
          image: {image}
          command: [sh, -c, "cat /data/set; touch /scratch/x && ls /scratch; echo $(cat /host/set)"]
          volumeMounts:
            - {{name: sets, mountPath: /data, readOnly: true}}
            - {{name: new, mountPath: /scratch}}
            - {{name: host, mountPath: /host, subPath: part}}
      volumes:
        - {{name: sets, persistentVolumeClaim: {{claimName: imagenet}}}}
        - {{name: new, emptyDir: {{}}}}
        - {{name: host, hostPath: {{path: {folder}}}}}
"""


def test_volumes_of_a_manifest_are_mounted(muster, opener, tmp_path):
    for place in ("sets", "host/part"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "set").write_text(f"set of {place}\n")
    muster.write("job.yaml", VOLUMES.format(image=opener.image, folder=tmp_path / "host"))
    refused = muster("run", "--in-image", "manifest", "job.yaml")
    assert refused.code == 2 and "`sets` (persistentVolumeClaim imagenet)" in refused.err and "job.yaml:12:15" in refused.err, refused
    mounts = f'in_image.mounts=["{tmp_path}/sets:/data:ro"]'
    done = muster.ok("run", "--in-image", "manifest", "--set", mounts, "job.yaml")
    assert done.lines() == ["set of sets", "x", "set of host/part"]
    muster.wait_until_idle()
    assert not [*muster.state.rglob("volumes"), *muster.work.rglob("volumes")]
    assert not Path("/volumes").exists()


FILES = """apiVersion: v1
kind: ConfigMap
metadata: {{name: settings}}
data: {{a.txt: of the ConfigMap, run.sh: "#!/bin/sh\\ncat $1"}}
---
apiVersion: v1
kind: Secret
metadata: {{name: keys}}
data: {{token: b2YgdGhlIFNlY3JldA==}}
---
apiVersion: batch/v1
kind: Job
metadata: {{name: job}}
spec:
  template:
    spec:
      containers:
        - name: train
          image: {image}
          command: [sh, -c, "/etc/settings/run.sh /etc/settings/a.txt; echo; /etc/settings/run.sh /etc/keys/token; echo"]
          volumeMounts:
            - {{name: settings, mountPath: /etc/settings}}
            - {{name: keys, mountPath: /etc/keys}}
      volumes:
        - {{name: settings, configMap: {{name: settings, defaultMode: 0755}}}}
        - {{name: keys, secret: {{secretName: keys}}}}
"""


def test_config_maps_and_secrets_beside_a_job_are_files(muster, opener):
    muster.write("job.yaml", FILES.format(image=opener.image))
    assert muster.ok("run", "--in-image", "manifest", "job.yaml").lines() == ["of the ConfigMap", "of the Secret"]
