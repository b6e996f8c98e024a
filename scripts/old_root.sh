# SPDX-License-Identifier: Apache-2.0
# The root file system of a host with an older C library, for the ssh tests: the shell and a few programs of Debian 11. Bash; to be
# sourced.
#
#   old_root FOLDER     creates it in FOLDER (fetches 12 MB), unless it is there already

old_root() {
  [[ ! -x $1/bin/sh ]] || return 0
  local scratch status
  scratch=$(mktemp -d) && chmod 755 "$scratch" || return
  fetch_old_packages "$scratch" && unpack_old_packages "$scratch" "$1"
  status=$?
  rm -rf "$scratch"
  return "$status"
}

# apt uses separate package lists, so that this machine never installs older packages.
fetch_old_packages() {
  mkdir -p "$1"/{lists/partial,archives/partial,packages}
  : >"$1/status"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian bullseye main" >"$1/sources.list"
  local apt=(apt-get -q -o "Dir::Etc::SourceList=$1/sources.list" -o Dir::Etc::SourceParts=/dev/null -o "Dir::State=$1"
    -o "Dir::State::status=$1/status" -o "Dir::Cache=$1")
  "${apt[@]}" update &&
    (cd "$1/packages" && "${apt[@]}" -o APT::Sandbox::User=root download \
      libc6 dash coreutils gzip libselinux1 libpcre2-8-0 libacl1 libattr1 libgmp10)
}

# Also creates mount points and a login shell.
unpack_old_packages() {
  local package
  rm -rf "$2.new"
  for package in "$1"/packages/*.deb; do dpkg -x "$package" "$2.new" || return; done
  mkdir -p "$2.new"/{dev,home,proc,run,tmp,var/tmp} && ln -sf dash "$2.new/bin/sh" && ln -sf dash "$2.new/bin/bash" && rm -rf "$2" &&
    mv "$2.new" "$2"
}
