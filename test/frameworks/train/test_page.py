# SPDX-License-Identifier: Apache-2.0
"""docs/reference/tested-frameworks.md has the versions with which these tests run, and a row for each test that has one."""

import ast

import results


def rows_of_tests():
    """What the rows of `pytest.mark.row` say."""
    for path in results.PAGE.parents[2].glob("test/frameworks/**/test_*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.row":
                yield node.args[-1].value


def test_the_page_has_the_rows_of_the_tests():
    assert {what for _, what in results.versions_on_the_page()} == set(rows_of_tests())


def test_the_page_names_the_pinned_versions():
    pinned = dict(text.split("==") for path in results.PAGE.parents[2].glob("test/frameworks/**/requirements*.txt")
                  for text in path.read_text().split() if "==" in text)
    for (framework, _), version in results.versions_on_the_page().items():
        assert version == pinned.get(framework.lower(), version), framework
