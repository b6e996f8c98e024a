# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# A real sshd for the hosts of tests and benchmarks. The package is unpacked, because installing it would start the service. Bash; to
# be sourced.

# Exports SSH_TEST_SSHD, the path of sshd.
have_sshd() {
  local folder="${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/muster/openssh-server"
  export SSH_TEST_SSHD=$folder/usr/sbin/sshd
  [[ -x $SSH_TEST_SSHD ]] || step "fetching openssh-server" -- fetch_sshd "$folder"
}

fetch_sshd() {
  local scratch
  scratch=$(mktemp -d) && chmod 755 "$scratch" || return
  (cd "$scratch" && apt-get -q update && apt-get -q download openssh-server && mkdir -p "$1" && dpkg -x openssh-server_*.deb "$1")
  local status=$?
  rm -rf "$scratch"
  return "$status"
}
