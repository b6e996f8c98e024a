# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Creates container images as archives (OCI image layout) with tar, without a container engine. Bash; to be sourced.
#
#   oci_archive NAME FOLDER CONFIG   writes an image called NAME with FOLDER as its only layer to stdout. CONFIG is the "config" object
#                                    of the image (entry point, environment variables). The same input gives the same bytes.

# All files belong to root and have modification time 0.
reproducible_tar() { tar -C "$1" --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 --format=gnu -c "${@:2}"; }

# oci_blob FOLDER: stores stdin below FOLDER/blobs and prints its size and digest as JSON members.
oci_blob() {
  local sum
  cat >"$1/blob"
  sum=$(sha256sum <"$1/blob" | cut -d' ' -f1)
  printf '"size": %d, "digest": "sha256:%s"' "$(stat -c %s "$1/blob")" "$sum"
  mv "$1/blob" "$1/blobs/sha256/$sum"
}

oci_archive() (
  set -e
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  mkdir -p "$work/blobs/sha256"
  media=application/vnd.oci.image
  layer=$(reproducible_tar "$2" . | oci_blob "$work")
  config=$(oci_blob "$work" <<JSON
{"architecture": "$(dpkg --print-architecture)", "os": "linux", "config": $3,
 "rootfs": {"type": "layers", "diff_ids": [${layer##*: }]}}
JSON
  )
  manifest=$(oci_blob "$work" <<JSON
{"schemaVersion": 2, "mediaType": "$media.manifest.v1+json",
 "config": {"mediaType": "$media.config.v1+json", $config},
 "layers": [{"mediaType": "$media.layer.v1.tar", $layer}]}
JSON
  )
  echo '{"imageLayoutVersion": "1.0.0"}' >"$work/oci-layout"
  cat >"$work/index.json" <<JSON
{"schemaVersion": 2, "manifests": [{"mediaType": "$media.manifest.v1+json", $manifest,
 "annotations": {"io.containerd.image.name": "$1", "org.opencontainers.image.ref.name": "${1##*:}"}}]}
JSON
  reproducible_tar "$work" blobs index.json oci-layout
)
