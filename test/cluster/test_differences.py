# SPDX-License-Identifier: Apache-2.0
"""The comparison of test_trainer.py."""

from differences import Tables, differences, plain

TABLE = """
## Pods

| field | Trainer | muster | why |
|---|---|---|---|
| `spec.containers.*` | `–` | `*` | muster's own |
| `spec.gone`, `spec.none` | `1` | `2` | no more |
"""


def test_lists_are_compared_by_names_and_a_missing_part_is_one_difference():
    theirs = {"env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}], "same": 1}
    ours = {"env": [{"name": "B", "value": "3"}], "same": 1}
    assert list(differences(theirs, ours)) == [("env.A", '{"name": "A", "value": "1"}', "–"), ("env.B.value", "2", "3")]


def test_a_difference_without_a_row_is_left_and_a_row_without_a_difference_too():
    tables = Tables(TABLE)
    left = tables.unexplained("Pods", {"spec": {"containers": [], "new": 1}}, {"spec": {"containers": ["agent"]}})
    assert left == ["| `spec.new` | `1` | `–` |  |"]
    assert tables.unused() == ["Pods: spec.gone`, `spec.none | 1 | 2 | no more"]


def test_what_varies_between_two_runs_is_not_compared():
    pod = {"metadata": {"name": "train-node-0-1-abcde", "uid": "1"}, "spec": {"host": "10.100.16.7", "space": "trainer-train"}}
    assert plain(pod, "train", "trainer-train") == {"metadata": {"name": "JOB-node-0-1"}, "spec": {"host": "ADDRESS", "space": "NAMESPACE"}}
