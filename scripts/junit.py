"""Writes what a suite found as JUnit XML, which junit_sum.py adds up."""

import xml.etree.ElementTree as ElementTree


def write(report, suite, cases):
    """`cases`: (name, why it failed or None)"""
    root = ElementTree.Element("testsuite", name=suite)
    for name, why in cases:
        case = ElementTree.SubElement(root, "testcase", name=name)
        if why is not None:
            ElementTree.SubElement(case, "failure", message=why)
    ElementTree.ElementTree(root).write(report)
