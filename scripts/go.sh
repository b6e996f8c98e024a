# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Go, for building the Kubernetes of the tests (test/cluster): the machine's, or a release in the user's cache folder. Bash; to be
# sourced.
#
#   have_go      puts `go` into PATH, with settings that do not depend on the user's; fails if there is none and none can be fetched
#
# Debian 12's Go is too old. Go 1.21 and newer fetches the release that go.mod requires by itself, as a Go module. If there is no
# such Go, this script fetches the same module (72 MB) and verifies its checksum.

go_release=go1.26.8
declare -A go_sums=(
  [amd64]=30c2b1bf7dcc88d3eb0a1364e47ddd9128edb3110a30e8a0ef61cd5856b31de7
  [arm64]=02b36b6787b3ac767668f630e2998df45a3b1f9ffee08d1bf3ef6487cd658d99)

have_go() {
  local folder="${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/muster/$go_release"
  export PATH="$PATH:/usr/local/go/bin" GOTOOLCHAIN=auto
  ! is_new_go || return 0
  export PATH="$folder/bin:$PATH"
  [[ -x $folder/bin/go ]] || fetch_go "$folder" "$(dpkg --print-architecture)" ||
    { echo "there is no Go 1.21 or newer in PATH or in /usr/local/go, and fetching it failed. Install it from https://go.dev/dl/" >&2; return 1; }
}

# Go before 1.21 does not know GOTOOLCHAIN and prints nothing.
is_new_go() { command -v go >/dev/null && [[ $(go env GOTOOLCHAIN 2>/dev/null) ]]; }

# fetch_go FOLDER ARCHITECTURE
fetch_go() {
  local work module=golang.org/toolchain version=v0.0.1-$go_release.linux-$2
  [[ ${go_sums[$2]:-} ]] && work=$(mktemp -d) || return
  curl -fsSL -o "$work/go.zip" "https://proxy.golang.org/$module/@v/$version.zip" &&
    sha256sum --quiet --check <<<"${go_sums[$2]}  $work/go.zip" &&
    python3 -m zipfile -e "$work/go.zip" "$work" &&
    chmod -R u+w,a+rX "$work/$module@$version" && chmod a+x "$work/$module@$version"/{bin,pkg/tool/*}/* && # files of a module are not executable
    mkdir -p "$(dirname "$1")" && rm -rf "$1" && mv "$work/$module@$version" "$1"
  local status=$?
  rm -rf "$work"
  return "$status"
}
