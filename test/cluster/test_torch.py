# SPDX-License-Identifier: Apache-2.0
"""examples/torch_ddp on two nodes from the same job file, in an image made from a Python environment: the losses equal this machine's."""

import json

from jobs import losses

TIER = 3


def test_it_learns_the_same_on_two_nodes_as_here(jobs, torch_image):
    jobs.put_torch_example()
    file = jobs.namespace.folder / "ddp.yaml"
    file.write_text(json.dumps({"name": "ddp", "framework": "torch", "nodes": 2, "env": {"OMP_NUM_THREADS": "1"}, "kubernetes": {"image": torch_image},
                                "command": ["python3", "train.py", "--data", "data", "--batch", "32", "--epochs", "3"]}))
    there, here = jobs.run_in_pods(file), jobs.run_here(file)
    assert len(losses(there)) == 3, there
    assert losses(there) == losses(here)
