# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034
# Shared by the programs of this folder: the cluster's folder, and how its processes are started. Sourced. Bash.
#
# A cluster is a process with its own namespaces (network, mounts, processes) and a folder. Its first process is pid 1 there, so the
# kernel ends all its processes together. Then the folder and cgroups of the same name are left, which leave_nothing removes.
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
cache=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/muster
# Programs are built from these files, so each version of them has its own folder of programs.
bin=$cache/cluster-$(cat "$here"/{build,go.mod,go.sum,dns/main.go} "$here/../../scripts/oci.sh" | sha256sum | cut -c1-12)
net=10.100 # NET.0.0/24 services, NET.1.0/24 nodes, NET.(16+N).0/24 pods of node N
api=$net.0.1 dns=$net.0.10
pattern=muster-cluster-

say() { printf 'cluster: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }

# of_cluster FOLDER: sets the variables of that cluster.
of_cluster() {
  dir=$1
  group=$(basename "$dir") # name of its cgroups
  [[ ! -L $dir/programs ]] || bin=$(readlink "$dir/programs") # the programs with which it was made, maybe of another HOME
  export PATH=$bin:$PATH KUBECONFIG=$dir/admin.kubeconfig
}

# The first process of the cluster, as seen from outside; empty if it does not run.
first_process() {
  local pid
  pid=$(cat "$dir/first" 2>/dev/null) && [[ $pid ]] && ! flock --nonblock "$dir/lock" true && echo "$pid"
}

# All cgroup hierarchies of version 1, or the single one of version 2.
cgroup_roots() {
  if [[ -e /sys/fs/cgroup/cgroup.controllers ]]; then echo /sys/fs/cgroup/; else echo /sys/fs/cgroup/*/; fi
}

# remove_cgroups PATH: removes this cgroup and all below it, in each hierarchy.
remove_cgroups() {
  local root
  for root in $(cgroup_roots); do
    [[ ! -d $root$1 ]] || find "$root$1" -depth -type d -exec rmdir {} + 2>/dev/null || true
  done
}

# Ends the cluster and removes everything that it left on the machine.
leave_nothing() {
  local pid
  if pid=$(first_process); then
    kill -KILL "$pid" 2>/dev/null || true
    flock "$dir/lock" true # held by all processes of the cluster; released when the last one ends
  fi
  remove_cgroups "$group"
  rm -rf "$dir"
}

# spawn NAME COMMAND...: runs it in the background; output in log/NAME, process id (as the cluster counts) in pid/NAME.
spawn() {
  setsid "${@:2}" >>"$dir/log/$1" 2>&1 </dev/null &
  echo $! >"$dir/pid/$1"
  disown # `wait` must not wait for it
}

# running NAME: true if it runs and is not a zombie. Checks the state: a process that is just executing a large program has no command
# line either. Does not use $(</proc/…): if the file is gone, bash ends the whole script without a message.
running() { grep -qs $'^State:\t[^ZX]' "/proc/$(<"$dir/pid/$1")/status"; }

# await NAME COMMAND...: waits until the command succeeds; fails after 60 s, or when NAME, spawned before, has ended.
await() {
  local end=$((SECONDS + 60 + ${nodes:-0} / 2)) name=$1 # a thousand nodes take a minute
  until "${@:2}" >/dev/null 2>&1; do
    if ! running "$name" || ((SECONDS > end)); then
      say "gave up on: ${*:2}; the end of $name's log:"
      tail -n 15 "$dir/log/$name" >&2
      return 1
    fi
    sleep 0.05
  done
}

# certificate NAME SUBJECT [ALTERNATIVE_NAMES]: pki/NAME.crt and .key, signed by the cluster's authority.
certificate() {
  local authority=FALSE signer=(-CA "$dir/pki/ca.crt" -CAkey "$dir/pki/ca.key")
  [[ $1 != ca ]] || { authority=TRUE signer=(); }
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj "$2" ${3:+-addext "subjectAltName=$3"} \
    -config <(printf '[req]\ndistinguished_name=dn\n[dn]\n') -addext "basicConstraints=critical,CA:$authority" \
    ${signer[@]+"${signer[@]}"} -keyout "$dir/pki/$1.key" -out "$dir/pki/$1.crt" 2>>"$dir/log/openssl"
}

# kubeconfig NAME: NAME.kubeconfig, authenticated by pki/NAME.
kubeconfig() {
  cat >"$dir/$1.kubeconfig" <<YAML
apiVersion: v1
kind: Config
current-context: test
contexts: [{name: test, context: {cluster: test, user: test}}]
clusters: [{name: test, cluster: {server: "https://$api:443", certificate-authority: pki/ca.crt}}]
users: [{name: test, user: {client-certificate: pki/$1.crt, client-key: pki/$1.key}}]
YAML
}
