# SPDX-License-Identifier: Apache-2.0
"""Writes the results of a suite as JUnit XML, which junit_sum.py adds up."""

import xml.etree.ElementTree as ElementTree


def write(report, suite, cases):
    """`cases`: list of (name, failure message or None)"""
    root = ElementTree.Element("testsuite", name=suite)
    for name, why in cases:
        case = ElementTree.SubElement(root, "testcase", name=name)
        if why is not None:
            ElementTree.SubElement(case, "failure", message=why)
    ElementTree.ElementTree(root).write(report)
