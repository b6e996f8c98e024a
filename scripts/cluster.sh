# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# The programs of the Kubernetes clusters of tests (test/cluster), in the user's cache folder. Bash; to be sourced.
#
#   have_cluster TIER     builds the programs of a cluster of this tier, unless they are there already

have_cluster() {
  "$root/test/cluster/build" --is-built "$@" || step "building a Kubernetes of tier $1" -- "$root/test/cluster/build" "$@"
}
