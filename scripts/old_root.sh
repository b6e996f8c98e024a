# SPDX-License-Identifier: Apache-2.0
# The root file system of a host with an older C library, for the ssh tests: the shell and a few programs of Debian 11. Bash; to be
# sourced after lib.sh.
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

fetch_old_packages() {
  mkdir "$1/packages" && separate_apt "$1" deb bullseye update &&
    (cd "$1/packages" && separate_apt "$1" deb bullseye download libc6 dash coreutils gzip libselinux1 libpcre2-8-0 libacl1 libattr1 libgmp10)
}

# Also creates mount points and a login shell.
unpack_old_packages() {
  unpack_packages "$1" "$2.new" && mkdir -p "$2.new"/{dev,home,proc,run,tmp,var/tmp} && ln -sf dash "$2.new/bin/sh" &&
    ln -sf dash "$2.new/bin/bash" && rm -rf "$2" && mv "$2.new" "$2"
}
