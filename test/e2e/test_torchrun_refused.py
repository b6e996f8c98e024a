# SPDX-License-Identifier: Apache-2.0
"""torchrun features that `muster torchrun` does not have: it prints a message and exits with 2 before anything starts, and
docs/reference/torchrun-differences.md has a row for each."""

from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "torchrun-differences.md").read_text().split("## Refused", 1)[1].split("\n## ", 1)[0]
ROWS = [row.split("|")[1] for row in PAGE.splitlines() if row.startswith("| ") and not row.startswith("| typed")]

# The arguments, the words of the row, and the alternative that the message names.
LINES = {
    "etcd": (["--nnodes", "2", "--rdzv-backend", "etcd", "--rdzv-endpoint", "a:1"], "several hosts with `--rdzv-backend etcd`", "c10d"),
    "etcd-v2": (["--nnodes", "2", "--rdzv-backend", "etcd-v2", "--rdzv-endpoint", "a:1"], "`etcd-v2`", "c10d"),
    "backend": (["--rdzv-backend", "mine"], "a name of a plugin", "static and c10d"),
    "logs": (["--logs-specs", "mine"], "`--logs-specs`", "--log-dir, --redirects and --tee"),
    "xpu": (["--nproc-per-node", "xpu"], "`--nproc-per-node xpu`", "type their number"),
}


@pytest.mark.parametrize("typed, row, offer", LINES.values(), ids=LINES.keys())
def test_a_sentence_with_another_way_and_a_line_of_the_page(muster, typed, row, offer):
    muster.write("train.py", "open('ran', 'w')\n")
    done = muster("torchrun", *typed, "train.py")
    assert done.code == 2 and done.out == "" and not (muster.work / "ran").exists()
    assert done.err.startswith("error: ") and offer in done.err and done.err.count("\n") == 1, done
    assert any(row in found for found in ROWS), ROWS


def test_one_host_meets_nobody(muster):
    muster.write("train.py", "print('ran')\n")
    assert muster.ok("torchrun", "--rdzv-backend", "etcd", "--rdzv-endpoint", "a:1", "train.py").out == "ran\n"
