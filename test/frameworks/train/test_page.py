# SPDX-License-Identifier: Apache-2.0
"""docs/reference/frameworks.md has the versions with which these tests run."""

import results


def test_the_page_names_the_pinned_versions():
    pinned = dict(text.split("==") for path in results.PAGE.parents[2].glob("test/frameworks/requirements*.txt")
                  for text in path.read_text().split() if "==" in text)
    for (framework, _), version in results.versions_on_the_page().items():
        assert version == pinned.get(framework.lower(), version), framework
