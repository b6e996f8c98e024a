# shellcheck shell=bash
# The programs of a Kubernetes for tests (test/cluster), in the user's cache folder. Sourced. Bash.
#
#   have_cluster TIER     builds what a cluster of this tier runs; quick when it is there already

have_cluster() {
  "$root/test/cluster/build" --is-built "$@" || step "building a Kubernetes of tier $1" -- "$root/test/cluster/build" "$@"
}
