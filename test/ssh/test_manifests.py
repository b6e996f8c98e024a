# SPDX-License-Identifier: Apache-2.0
"""Manifests of Kubeflow on hosts over ssh (docs/guide/kubeflow.md)."""

SHOW = 'echo "node $PET_NODE_RANK of $PET_NNODES on $(hostname) meets $([ -n "$PET_MASTER_ADDR" ] && echo there)"'

TRAIN_JOB = f"""
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {{name: shown}}
spec:
  runtimeRef: {{name: torch-distributed}}
  trainer:
    image: registry.example/train:7
    numNodes: 2
    command:
      - sh
      - -c
      - |
        {SHOW}
"""

JOB_SET = """
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: set}
spec:
  replicatedJobs:
    - name: workers
      template:
        spec:
          parallelism: 2
          completions: 2
          template:
            spec:
              containers:
                - name: shell
                  command: [sh, -c, "echo index $JOB_COMPLETION_INDEX on $(hostname)"]
"""


def test_a_train_job_has_a_node_on_each_host(network, hosts, desk):
    network.here.write("/home/mia/trainjob.yaml", TRAIN_JOB)
    done = desk.muster("run", "--hosts", "a1,a2", "--workdir", "/", "/home/mia/trainjob.yaml")
    assert done.returncode == 0, done.stderr
    assert "node 0 of 2 on a1 meets there" in done.stdout and "node 1 of 2 on a2 meets there" in done.stdout
    assert "the image is not used here" in done.stderr


def test_a_job_set_has_a_pod_on_each_host(network, hosts, desk):
    network.here.write("/home/mia/set.yaml", JOB_SET)
    done = desk.muster("run", "--hosts", "a1,a2", "--workdir", "/", "/home/mia/set.yaml")
    assert done.returncode == 0, done.stderr
    assert "index 0 on a1" in done.stdout and "index 1 on a2" in done.stdout
