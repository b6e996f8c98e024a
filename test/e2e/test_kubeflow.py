# SPDX-License-Identifier: Apache-2.0
"""Manifests of Kubeflow, JobSets and Jobs as jobs (docs/guide/kubeflow.md)."""

import json
import textwrap

import pytest

from train_jobs import train_job, training_runtime

SHOW = "import os, sys\nprint(*(os.environ.get(name, '-') for name in sys.argv[1:]), flush=True)\n"

TRAIN_JOB = train_job() + """\
  trainer:
    command: [torchrun, show.py, RANK, WORLD_SIZE, LOCAL_RANK, GROUP_RANK, EPOCHS]
    numNodes: 2
    numProcPerNode: 2
    env: [{name: EPOCHS, value: "3"}]
"""
RUNTIME = training_runtime("[python3, show.py, RANK, WORLD_SIZE]")
BARE = train_job("{name: bare}", "{name: own}")


@pytest.fixture
def manifest(muster):
    muster.write("show.py", SHOW)

    def write(text, name="job.yaml"):
        muster.write(name, textwrap.dedent(text))
        return name
    return write


def lines(done):
    """What the ranks printed, without their numbers."""
    return sorted(line.partition("] ")[2] if line.startswith("[") else line for line in done.out.splitlines())


def test_a_train_job_runs_on_two_nodes_with_two_ranks_each(muster, manifest):
    done = muster.ok("run", "-q", manifest(TRAIN_JOB))
    assert lines(done) == ["0 4 0 0 3", "1 4 1 0 3", "2 4 0 1 3", "3 4 1 1 3"]
    job = muster.job()
    assert (job["name"], job["state"]) == ("mnist", "succeeded")


def test_flags_override_a_manifest(muster, manifest):
    done = muster.ok("run", "-q", manifest(TRAIN_JOB), "--nodes", "1", "-n", "1", "--env", "EPOCHS=1")
    assert lines(done) == ["0 1 0 0 1"]


def test_env_flags_override_variables_of_one_replica(muster, manifest):
    def job(variable):
        replica = "{replicas: 1, template: {spec: {containers: [{name: pytorch, command: [sh, -c, 'echo ROLE $SET']ENV}]}}}"
        return ("apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: a}\nspec:\n  pytorchReplicaSpecs:\n" +
                "".join(f"    {role}: " + replica.replace("ROLE", role).replace("ENV", env) + "\n"
                        for role, env in (("Master", ""), ("Worker", f", env: [{{name: SET, {variable}}}]"))))
    done = muster.ok("run", "-q", manifest(job("value: '5'")), "-e", "SET=1")
    assert lines(done) == ["Master 1", "Worker 1"]
    secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: tok}\nstringData: {token: hunter2secret}\n---\n"
    text = secret + job("valueFrom: {secretKeyRef: {name: tok, key: token}}")
    done = muster.ok("run", "-q", manifest(text), "-e", "SET", env={"SET": "of-shell"})
    assert lines(done) == ["Master of-shell", "Worker of-shell"]
    assert not [path for path in muster.folder().rglob("*") if path.is_file() and b"hunter2secret" in path.read_bytes()]


def test_a_runtime_beside_the_job_in_its_folder_or_registered(muster, manifest):
    wanted = ["0 2", "1 2"]
    assert lines(muster.ok("run", "-q", manifest(RUNTIME + "---\n" + BARE))) == wanted
    (muster.work / "folder").mkdir()
    manifest(RUNTIME, "folder/a.yaml")
    manifest(BARE, "folder/b.yaml")
    assert lines(muster.ok("run", "-q", "folder")) == wanted
    assert lines(muster.ok("run", "-q", "-", stdin=(RUNTIME + "---\n" + BARE).encode())) == wanted
    alone = manifest(BARE)
    missing = muster("run", alone)
    assert missing.code == 2 and "[E1805]" in missing.err and "nothing was started" in missing.err, missing
    assert muster.ok("apply", "-f", "folder").out == "own\n"
    assert lines(muster.ok("run", "-q", alone)) == wanted
    listed = json.loads(muster.ok("runtimes", "--all", "-o", "json").out)["runtimes"]
    assert {"own", "torch-distributed", "jax-distributed"} <= {each["name"] for each in listed}
    assert muster.ok("runtimes", "delete", "own").out == "own\n"
    assert muster("run", alone).code == 2


def test_a_job_file_cannot_use_a_training_runtime(muster, manifest):
    muster.ok("apply", "-f", manifest(RUNTIME, "runtime.yaml"))
    done = muster("run", manifest("runtime: own\ncommand: ['true']\n"))
    assert done.code == 2 and "[E1805]" in done.err and "only TrainJobs can use" in done.err and "E1201" not in done.err, done.err


def test_a_list_of_kubectl_is_its_items(muster, manifest):
    both = [textwrap.indent(text.strip(), "    ").replace("    ", "  - ", 1) for text in (RUNTIME, BARE)]
    assert lines(muster.ok("run", "-q", manifest("apiVersion: v1\nkind: List\nitems:\n" + "\n".join(both)))) == ["0 2", "1 2"]


def test_a_typed_command_takes_the_place_of_the_entry_point(muster, manifest):
    text = TRAIN_JOB.replace("command: [torchrun, show.py, RANK, WORLD_SIZE, LOCAL_RANK, GROUP_RANK, EPOCHS]", "args: [RANK, EPOCHS]")
    assert lines(muster.ok("run", "-q", manifest(text), "--", "torchrun", "show.py")) == ["0 3", "1 3", "2 3", "3 3"]


def test_what_has_no_effect_is_said_once(muster, manifest):
    done = muster.ok("run", manifest(RUNTIME + "---\n" + BARE))
    assert done.err.count("the image is not used here") == 1, done.err


def test_a_shell_script_gets_the_variables_of_torchrun(muster, manifest):
    names = "PET_NNODES PET_NPROC_PER_NODE PET_NODE_RANK"
    text = TRAIN_JOB.replace("[torchrun, show.py, RANK, WORLD_SIZE, LOCAL_RANK, GROUP_RANK, EPOCHS]",
                             f'[bash, -c, "cd . && python3 show.py {names}"]')
    assert lines(muster.ok("run", "-q", manifest(text))) == ["2 2 0", "2 2 1"]


def test_jobs_of_the_training_operator(muster, manifest):
    template = "{template: {spec: {containers: [{name: NAME, command: [python3, show.py, WORDS]}]}}, replicas: COUNT}"

    def replica(name, words, count):
        return template.replace("NAME", name).replace("WORDS", words).replace("COUNT", str(count))
    pytorch = replica("pytorch", "RANK, WORLD_SIZE", 1), replica("pytorch", "RANK, WORLD_SIZE", 2)
    text = "apiVersion: kubeflow.org/v1\nkind: {}\nmetadata: {{name: a}}\nspec:\n  {}:\n"
    job = text.format("PyTorchJob", "pytorchReplicaSpecs") + f"    Master: {pytorch[0]}\n    Worker: {pytorch[1]}\n"
    assert lines(muster.ok("run", "-q", manifest(job))) == ["0 3", "1 3", "2 3"]
    jax = text.format("JAXJob", "jaxReplicaSpecs") + "    Worker: " + replica("jax", "PROCESS_ID, NUM_PROCESSES", 2)
    assert lines(muster.ok("run", "-q", manifest(jax))) == ["0 2", "1 2"]
    boost = text.format("XGBoostJob", "xgbReplicaSpecs") + "    Master: " + replica("xgboost", "RANK, WORLD_SIZE", 1)
    assert lines(muster.ok("run", "-q", manifest(boost))) == ["0 1"]


def test_an_indexed_job_and_a_job_set(muster, manifest):
    job = """
        apiVersion: batch/v1
        kind: Job
        metadata: {name: indexed}
        spec:
          completionMode: Indexed
          completions: 3
          parallelism: 3
          template: {spec: {restartPolicy: Never, containers: [{name: a, command: [python3, show.py, JOB_COMPLETION_INDEX]}]}}
        """
    assert lines(muster.ok("run", "-q", manifest(job))) == ["0", "1", "2"]
    job_set = """
        apiVersion: jobset.x-k8s.io/v1alpha2
        kind: JobSet
        metadata: {name: two}
        spec:
          successPolicy: {operator: All, targetReplicatedJobs: [train]}
          replicatedJobs:
            - name: train
              template: {spec: {completions: 2, parallelism: 2, template: {spec: {containers: [{name: a, command: [python3, show.py, JOB_COMPLETION_INDEX]}]}}}}
            - name: side
              template: {spec: {template: {spec: {containers: [{name: a, command: [sleep, "600"]}]}}}}
        """
    assert lines(muster.ok("run", "-q", manifest(job_set))) == ["0", "1"]


def test_backoff_limit_restarts_the_ranks(muster, manifest):
    muster.write("once.sh", "test -e done && exit 0\ntouch done\nexit 5\n")
    manifest("""
        apiVersion: batch/v1
        kind: Job
        metadata: {name: again}
        spec: {backoffLimit: 1, template: {spec: {containers: [{name: a, command: [sh, once.sh]}]}}}
        """)
    muster.ok("run", "-q", "job.yaml")
    assert muster.job()["attempt"] == 2


def test_a_suspended_job_is_held(muster, manifest):
    text = TRAIN_JOB + "  suspend: true\n"
    name = muster.ok("submit", "-q", manifest(text)).out.strip()
    assert muster.job()["state"] == "queued"
    muster.ok("release", name)
    muster.ok("wait", name)


def test_convert_writes_a_job_file_that_runs_the_same_job(muster, manifest):
    done = muster.ok("convert", manifest(TRAIN_JOB))
    muster.write("converted.yaml", done.out)
    assert lines(muster.ok("run", "-q", "converted.yaml")) == ["0 4 0 0 3", "1 4 1 0 3", "2 4 0 1 3", "3 4 1 1 3"]
    for more in ("", "kubernetes: {image: registry.example/a:1}\n", "hosts: [a1, a2]\n"):
        muster.write("converted.yaml", done.out + more)
        again = muster.ok("convert", "--to", "trainjob", "converted.yaml")
        muster.write("again.yaml", again.out)
        assert lines(muster.ok("run", "-q", "again.yaml")) == ["0 4 0 0 3", "1 4 1 0 3", "2 4 0 1 3", "3 4 1 1 3"]


@pytest.mark.parametrize("change, code, said", [
    (("trainer:", "trayner:"), "E1801", "did you mean `trainer`?"),
    (('"3"', "3"), "E1802", "did you mean `\"3\"`?"),
    (("  trainer:", "  initializer: {dataset: {storageUri: hf://a/b}}\n  trainer:"), "E1803", "fetch the data before the job"),
    (("v1alpha1", "v2"), "E1804", "trainer.kubeflow.org/v1alpha1"),
    (("torch-distributed", "torch-distribted"), "E1805", "did you mean `torch-distributed`?"),
    (("[torchrun, show.py, RANK, WORLD_SIZE, LOCAL_RANK, GROUP_RANK, EPOCHS]", "[torchrun]"), "E1806", "has no script"),
    (("kind: TrainJob", "kind: Deployment"), "E1804", "muster does not read the kind `Deployment`"),
])
def test_a_mistake_is_reported_with_its_line_and_nothing_is_started(muster, manifest, change, code, said):
    done = muster("run", manifest(TRAIN_JOB.replace(*change, 1)))
    assert done.code == 2 and f"[{code}]" in done.err and said in done.err and "job.yaml:" in done.err, done.err
    assert "nothing was started" in done.err


def test_apply_reports_bad_names_and_keeps_templates_of_job_files(muster, manifest):
    bad = muster("apply", "-f", manifest(RUNTIME.replace("{name: own}", "{name: own/1}")))
    assert bad.code == 2 and "[E1802]" in bad.err and "cannot be the name" in bad.err, bad
    (muster.work / ".muster/runtimes").mkdir(parents=True)
    muster.write(".muster/runtimes/own.yaml", "framework: plain\n")
    kept = muster("apply", "-f", manifest(RUNTIME))
    assert kept.code != 0 and "is a runtime of job files" in kept.err, kept
    assert (muster.work / ".muster/runtimes/own.yaml").read_text() == "framework: plain\n"
    muster.ok("runtimes", "delete", "own")
    init = RUNTIME.replace("containers: [", "initContainers: [{name: get, image: a}]\n                  containers: [")
    assert muster.ok("apply", "-f", manifest(init)).out == "own\n"
    used = muster("run", manifest(BARE))
    assert used.code == 2 and "initContainers" in used.err, used


def test_apply_of_two_runtimes_of_one_name_registers_none(muster, manifest):
    both = RUNTIME + "---\n" + RUNTIME.replace("kind: TrainingRuntime", "kind: ClusterTrainingRuntime")
    done = muster("apply", "-f", manifest(both))
    assert done.code == 2 and "[E1802]" in done.err and "two runtimes called `own`" in done.err, done
    assert not (muster.work / ".muster/runtimes/own.yaml").exists()


def test_a_registered_runtime_with_a_mistake_is_not_skipped(muster, manifest):
    (muster.work / ".muster/runtimes").mkdir(parents=True)
    muster.write(".muster/runtimes/torch-distributed.yaml", RUNTIME + "    bad: [\n")
    done = muster("run", manifest(TRAIN_JOB))
    assert done.code == 2 and "torch-distributed.yaml:" in done.err and "nothing was started" in done.err, done.err


def test_generate_name_begins_the_name_of_the_job(muster, manifest):
    muster.ok("run", "-q", manifest(TRAIN_JOB.replace("{name: mnist}", "{generateName: nightly-}")))
    name = muster.job()["name"]
    assert name.startswith("nightly-") and len(name) == len("nightly-12345"), name


def test_variables_of_the_controller_in_a_command(muster, manifest):
    text = TRAIN_JOB.replace("[torchrun, show.py, RANK, WORLD_SIZE, LOCAL_RANK, GROUP_RANK, EPOCHS]",
                             "[torchrun, \"--nnodes=$(PET_NNODES)\", show.py, RANK, \"$(PET_NODE_RANK)\", \"$(EPOCHS)\", \"$(NO)\"]")
    muster.write("show.py", "import os, sys\nprint(os.environ['RANK'], *sys.argv[2:], flush=True)\n")
    assert lines(muster.ok("run", "-q", manifest(text))) == ["0 0 3 $(NO)", "1 0 3 $(NO)", "2 1 3 $(NO)", "3 1 3 $(NO)"]


def test_a_tf_job_fails_with_a_worker_and_ends_with_its_chief(muster, manifest):
    def job(**commands):
        replica = "{replicas: 1, template: {spec: {containers: [{name: tensorflow, command: [sh, -c, COMMAND]}]}}}"
        return ("apiVersion: kubeflow.org/v1\nkind: TFJob\nmetadata: {name: tf}\nspec:\n  tfReplicaSpecs:\n" +
                "".join(f"    {role}: " + replica.replace("COMMAND", command) + "\n" for role, command in commands.items()))
    assert muster("run", "-q", manifest(job(Chief="exec sleep 600", Worker="exit 7"))).code == 1
    assert "exited with code 7" in muster.ok("why", "@last").out
    muster.ok("run", "-q", manifest(job(Chief="exit 0", Worker="exec sleep 600")))
