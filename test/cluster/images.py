# SPDX-License-Identifier: Apache-2.0
"""Container images for tests: muster's own, and the contents of an image."""

import hashlib
import io
import json
import os
import subprocess
import tarfile
from pathlib import Path

SCRIPTS = Path(__file__).parents[2] / "scripts"
LAYER = "application/vnd.oci.image.layer.v1.tar"


def build_muster_image(archive):
    """Builds an image of the program under test; returns its name."""
    subprocess.run([SCRIPTS / "image", "--binary", os.environ["MUSTER_BINARY"], archive], check=True, stdout=subprocess.DEVNULL)
    return Archive(archive).name


def build_image(name, folder, archive):
    """Builds an image with this name from a folder."""
    script = '. "$0/oci.sh"; oci_archive "$1" "$2" "{}" >"$3"'
    subprocess.run(["bash", "-c", script, SCRIPTS, name, folder, archive], check=True)


class Archive:
    """An image in OCI layout. Every blob that is read is checked against its digest."""

    def __init__(self, path):
        self.files = tarfile.open(path)
        index = json.loads(self.files.extractfile("index.json").read())
        assert json.loads(self.files.extractfile("oci-layout").read()) == {"imageLayoutVersion": "1.0.0"}
        (entry,) = index["manifests"]
        self.name = entry["annotations"]["io.containerd.image.name"]
        self.manifest = json.loads(self.blob(entry))
        self.config = json.loads(self.blob(self.manifest["config"]))

    def blob(self, described):
        bytes_ = self.files.extractfile("blobs/" + described["digest"].replace(":", "/")).read()
        assert len(bytes_) == described["size"]
        assert "sha256:" + hashlib.sha256(bytes_).hexdigest() == described["digest"]
        return bytes_

    def layer(self):
        (only,) = self.manifest["layers"]
        assert only["mediaType"] == LAYER
        assert self.config["rootfs"]["diff_ids"] == [only["digest"]]  # not compressed
        return tarfile.open(fileobj=io.BytesIO(self.blob(only)))
