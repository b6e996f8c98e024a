# SPDX-License-Identifier: Apache-2.0
"""Each public example is read, or refused by name; docs/reference/kubeflow-examples.md says which."""

import os
from pathlib import Path

import examples

PAGE = Path(os.environ["MUSTER_PROJECT"]) / "docs/reference/kubeflow-examples.md"
BEGIN, END = "<!-- examples -->", "<!-- end of examples -->"
LEAST_READ = 80  # results without an error


def test_every_public_example_has_the_result_of_its_page(tmp_path):
    rows, good = examples.table(os.environ["MUSTER"], tmp_path)
    assert good >= LEAST_READ, rows
    head, _, rest = PAGE.read_text().partition(BEGIN)
    found = "\n".join(["", "", "| file | hosts | cluster |", "|---|---|---|", *rows, "", ""])
    if os.environ.get("MUSTER_REWRITE_GOLDEN"):
        PAGE.write_text(head + BEGIN + found + END + rest.partition(END)[2])
    _, _, rest = PAGE.read_text().partition(BEGIN)
    assert found == rest.partition(END)[0]
