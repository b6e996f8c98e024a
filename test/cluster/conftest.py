"""Clusters for all tests of this folder: a module says its TIER (README.md). Wants root and MUSTER_BINARY (scripts/test admission, cluster)."""

import itertools
import os

import pytest

from cluster import Cluster, Namespace

numbers = itertools.count(1)


def pytest_collection_modifyitems(items):
    if os.geteuid() != 0:
        for item in items:
            item.add_marker(pytest.mark.skip(reason="a cluster is network namespaces, which only root makes"))


@pytest.fixture(scope="session")
def clusters():
    """Those that run, by tier."""
    running = {}
    yield running
    for cluster in running.values():
        cluster.end()


@pytest.fixture
def cluster(request, clusters):
    tier = request.module.TIER
    if tier not in clusters:
        clusters[tier] = Cluster(tier)
    return clusters[tier]


@pytest.fixture
def namespace(cluster, tmp_path):
    namespace = Namespace(cluster, f"test-{next(numbers)}", tmp_path)
    yield namespace
    namespace.end()
