# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Programs that open container images, for `scripts/test image`. Bash; to be sourced.
#
#   have_apptainer FOLDER    unpacks apptainer there (fetches 30 MB), unless it is there already
#   with_apptainer FOLDER COMMAND…   runs COMMAND in a mount namespace in which apptainer is installed; needs root
#   image_user               creates the user muster-image, who has subordinate user ids for podman
#
# Debian 12 has no apptainer. The package of Debian unstable is unpacked, with the C library that it needs, and not installed.

have_apptainer() {
  [[ ! -x $1/usr/bin/apptainer ]] || return 0
  local scratch status
  scratch=$(mktemp -d) && chmod 755 "$scratch" || return
  fetch_apptainer "$scratch" && unpack_apptainer "$scratch" "$1"
  status=$?
  rm -rf "$scratch"
  return "$status"
}

# apt uses separate package lists, so that this machine never installs packages of unstable.
fetch_apptainer() {
  mkdir -p "$1"/{lists/partial,archives/partial,packages}
  : >"$1/status"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian sid main" >"$1/sources.list"
  local apt=(apt-get -q -o "Dir::Etc::SourceList=$1/sources.list" -o Dir::Etc::SourceParts=/dev/null -o "Dir::State=$1"
    -o "Dir::State::status=$1/status" -o "Dir::Cache=$1")
  "${apt[@]}" update &&
    (cd "$1/packages" && "${apt[@]}" -o APT::Sandbox::User=root download apptainer libc6 libseccomp2 libsqlite3-0)
}

# The libraries are put beside the programs, where with_apptainer shows them.
unpack_apptainer() {
  local package file place=/usr/lib/muster-apptainer
  rm -rf "$2.new" "$2"
  mkdir -p "$2.new$place" "$1/libraries"
  for package in "$1"/packages/*.deb; do
    if [[ $package == */apptainer_* ]]; then dpkg -x "$package" "$2.new"; else dpkg -x "$package" "$1/libraries"; fi || return
  done
  cp "$1"/libraries/usr/lib/*/*.so* "$2.new$place/" || return
  for file in "$2.new/usr/bin/apptainer" "$2.new"/usr/lib/*/apptainer/bin/starter; do
    patchelf --set-interpreter "$place/$(cd "$2.new$place" && echo ld-linux*.so.*)" --force-rpath --set-rpath "$place" "$file" || return
  done
  chmod -R a+rX "$2.new" && mv "$2.new" "$2"
}

# The folders of the package are laid over those of the machine, in this namespace only.
with_apptainer() {
  local folder=$1
  shift
  mkdir -p /var/lib/apptainer/mnt/session
  # shellcheck disable=SC2016
  unshare --mount sh -ec 'folder=$1; shift
    for part in usr etc; do mount -t overlay overlay -o "lowerdir=$folder/$part:/$part" "/$part"; done
    exec "$@"' sh "$folder" "$@"
}

image_user() {
  id -u muster-image >/dev/null 2>&1 || useradd --no-create-home --home-dir /nonexistent --shell /bin/sh muster-image
}
