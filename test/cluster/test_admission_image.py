# SPDX-License-Identifier: Apache-2.0
"""muster's image: built without a container engine, reproducible and complete."""

import subprocess

from images import Archive, build_muster_image

PROGRAM = "/muster-image/muster"


def test_the_same_program_makes_the_same_bytes(tmp_path):
    for name in ("a.tar", "b.tar"):
        build_muster_image(tmp_path / name)
    assert (tmp_path / "a.tar").read_bytes() == (tmp_path / "b.tar").read_bytes()


def test_it_is_what_a_manifest_means_by_muster_and_starts_it(tmp_path):
    build_muster_image(tmp_path / "muster.tar")
    image = Archive(tmp_path / "muster.tar")
    assert image.name.startswith("docker.io/library/muster:0.")
    assert image.config["config"]["Entrypoint"] == [PROGRAM]
    assert {file.uid for file in image.layer()} == {0}
    assert {file.mtime for file in image.layer()} == {0}


def test_the_program_starts_there_with_nothing_else_and_by_the_loader_beside_it(tmp_path):
    build_muster_image(tmp_path / "muster.tar")
    root = tmp_path / "root"
    Archive(tmp_path / "muster.tar").layer().extractall(root)
    folder = PROGRAM.rsplit("/", 1)[0]
    carried = [f"{folder}/libraries/loader", "--library-path", f"{folder}/libraries", PROGRAM]
    for words in ([PROGRAM], carried):
        assert subprocess.check_output(["chroot", root, *words, "--version"], text=True).startswith("muster 0.")
