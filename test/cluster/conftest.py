# SPDX-License-Identifier: Apache-2.0
"""Clusters for all tests of this folder. Each module sets its TIER (docs/design/test-cluster.md). Needs root and MUSTER_BINARY
(scripts/test admission, cluster)."""

import itertools
import os
from pathlib import Path

import pytest

from cluster import Cluster, Namespace
from images import build_image, build_muster_image, put_mpi, put_torch
from jobs import Jobs

numbers = itertools.count(1)


def pytest_collection_modifyitems(items):
    if os.geteuid() != 0:
        for item in items:
            item.add_marker(pytest.mark.skip(reason="a cluster is network namespaces, which only root makes"))


@pytest.fixture(scope="session")
def clusters():
    """The running clusters, by tier and additions."""
    running = {}
    yield running
    for cluster in running.values():
        cluster.end()


@pytest.fixture
def cluster(request, clusters):
    tier, extras = request.module.TIER, getattr(request.module, "EXTRAS", ())
    if (tier, extras) not in clusters:
        clusters[tier, extras] = Cluster(tier, more=extras)
    return clusters[tier, extras]


@pytest.fixture
def namespace(cluster, tmp_path):
    with Namespace(cluster, f"test-{next(numbers)}", tmp_path) as namespace:
        yield namespace


@pytest.fixture(scope="session")
def muster_archive(tmp_path_factory):
    """Archive of the image with the program under test, and its name."""
    archive = tmp_path_factory.mktemp("image") / "muster.tar"
    return archive, build_muster_image(archive)


@pytest.fixture
def muster_image(cluster, muster_archive):
    """The name of muster's image, which is loaded on all nodes."""
    archive, name = muster_archive
    if name not in cluster.images:
        cluster.load_image(archive)
        cluster.images.add(name)
    return name


@pytest.fixture
def jobs(namespace, muster_image):
    """Removed after the test, with a check that nothing of them is left."""
    jobs = Jobs(namespace)
    yield jobs
    namespace.kubectl("delete", "jobset", "--all", "--timeout=60s")
    namespace.wait_for("nothing of any job to be left", lambda: jobs.left() == [])


def image_on_nodes(cluster, tmp_path, name, root):
    """The folder that `root()` names, as an image on all nodes."""
    if name not in cluster.images:
        build_image(name, root(), tmp_path / "image.tar")
        cluster.load_image(tmp_path / "image.tar")
        (tmp_path / "image.tar").unlink()
        cluster.images.add(name)
    return name


def folder_in(variable, what):
    folder = Path(os.environ.get(variable, "/nowhere"))
    if not folder.exists():
        pytest.skip(f"{variable} names no {what}; scripts/test cluster fetches it")
    return folder


def root_image(cluster, tmp_path, name, variable, what):
    """A folder from an environment variable, as an image on all nodes."""
    root = folder_in(variable, what)
    return image_on_nodes(cluster, tmp_path, name, lambda: root)


@pytest.fixture
def old_image(cluster, tmp_path):
    """Debian 11's shell with its C library, which is older than the one muster is linked with."""
    return root_image(cluster, tmp_path, "localhost/debian:11", "CLUSTER_OLD_ROOT", "root of Debian 11")


@pytest.fixture
def musl_image(cluster, tmp_path):
    """A program linked with musl, without any other C library or shell."""
    return root_image(cluster, tmp_path, "localhost/musl:1", "CLUSTER_MUSL_ROOT", "root with musl")


@pytest.fixture
def torch_image(cluster, tmp_path):
    """examples/torch_ddp with its data in /, PyTorch and torchrun."""
    environment = folder_in("CLUSTER_TORCH", "environment with PyTorch")

    def root():
        put_torch(environment, tmp_path / "torch")
        return tmp_path / "torch"
    return image_on_nodes(cluster, tmp_path, "localhost/torch-ddp:1", root)


@pytest.fixture
def mpi_image(cluster, tmp_path):
    """Programs of test/frameworks/mpi in /app, with their MPI library."""
    def root():
        put_mpi(tmp_path / "mpi", ("checks", "ends", "pi", "resumes"))
        return tmp_path / "mpi"
    return image_on_nodes(cluster, tmp_path, "localhost/openmpi:4", root)
