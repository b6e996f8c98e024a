# SPDX-License-Identifier: Apache-2.0
"""TrainJobs and their runtimes as texts (docs/guide/kubeflow.md)."""


def train_job(metadata="{name: mnist}", runtime="{name: torch-distributed}"):
    """Ends in its spec, so that more fields can follow. `metadata` and `runtime` (spec.runtimeRef) are maps of YAML."""
    return f"apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {metadata}\nspec:\n  runtimeRef: {runtime}\n"


def training_runtime(command, image="registry.example/a:1", metadata="{name: own}", kind="TrainingRuntime"):
    """Two nodes of torch. `command` is a list of YAML."""
    return f"""apiVersion: trainer.kubeflow.org/v1alpha1
kind: {kind}
metadata: {metadata}
spec:
  mlPolicy: {{numNodes: 2, torch: {{}}}}
  template:
    spec:
      replicatedJobs:
        - name: node
          template:
            metadata: {{labels: {{trainer.kubeflow.org/trainjob-ancestor-step: trainer}}}}
            spec:
              template:
                spec:
                  containers: [{{name: node, image: "{image}", command: {command}}}]
"""
