# SPDX-License-Identifier: Apache-2.0
# Installs the files of a release in fresh roots and runs a job there. Sourced by scripts/release; needs root; bash.
#
#   try_release FOLDER     each file in FOLDER, in each root that it is for
#
# The roots are kept in the user's cache folder; each try works on a copy in a mount namespace of its own.

roots_folder="${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/muster/roots"

# debian_root SUITE: Debian's packages of priority required, with Python and pip.
debian_root() {
  local folder=$roots_folder/$1
  [[ ! -e $folder/etc/debian_version ]] || return 0
  mkdir -p "$roots_folder"
  rm -rf "$folder" "$folder.new"
  mmdebstrap --variant=minbase --include=python3,python3-pip,python3-venv "$1" "$folder.new" "deb http://deb.debian.org/debian $1 main" &&
    mv "$folder.new" "$folder"
}

# A root whose only C library is musl, with a shell.
musl_shell_root() {
  local folder=$roots_folder/musl
  [[ ! -e $folder/bin/sh ]] || return 0
  source "$root/scripts/musl_root.sh"
  musl_root "$folder" && mkdir -p "$folder/root" && cp /bin/busybox "$folder/bin/busybox" &&
    for name in cat env grep head ls mkdir mv readlink rm sh sleep tar true; do ln -sf busybox "$folder/bin/$name" || return; done
}

# in_copy ROOT FOLDER SCRIPT: runs the shell script in a copy of the root, with FOLDER at /dist and no network but loopback.
in_copy() {
  local copy status=0
  copy=$(mktemp -d "$roots_folder/try.XXXXXX") || return
  cp -a "$roots_folder/$1/." "$copy" && mkdir -p "$copy/dist" "$copy/proc" "$copy/dev" &&
    unshare --mount --pid --net --fork --propagation private bash -c '
      mount --bind "$2" "$1/dist" && mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && ip link set lo up &&
        exec chroot "$1" /bin/sh -euc "$3"' in_copy "$copy" "$2" "$3" || status=$?
  rm -rf --one-file-system "$copy"
  return "$status"
}

# The first commands of a user. The PID namespace ends the processes that are left.
first_job='
export HOME=/root MUSTER_IDLE=1s
muster version
muster run -n 2 --name first -- sh -c "echo rank \$MUSTER_RANK of \$MUSTER_WORLD_SIZE"
muster ps -a
test "$(muster logs first --rank 1 2>/dev/null)" = "rank 1 of 2"
'
from_tarball='mkdir -p /opt; tar -xzf /dist/muster-*.tar.gz -C /opt; for folder in /opt/muster-*; do PATH=$folder/bin:$PATH; done; export PATH'
from_deb='dpkg -i /dist/muster_*.deb >/dev/null'
from_wheel='python3 -m venv /venv; /venv/bin/pip install --quiet --no-index --disable-pip-version-check /dist/muster-*.whl; PATH=/venv/bin:$PATH; export PATH'

try_release() {
  step "making a root of Debian 12" -- debian_root bookworm &&
    step "making a root of Debian 11" -- debian_root bullseye &&
    step "making a root with musl" -- musl_shell_root || return
  local status=0
  step "Debian 12: package" -- in_copy bookworm "$1" "$from_deb$first_job" || status=1
  step "Debian 12: tarball" -- in_copy bookworm "$1" "$from_tarball$first_job" || status=1
  step "Debian 12: wheel" -- in_copy bookworm "$1" "$from_wheel$first_job" || status=1
  step "Debian 11: tarball" -- in_copy bullseye "$1" "$from_tarball$first_job" || status=1
  step "Debian 11: wheel" -- in_copy bullseye "$1" "$from_wheel$first_job" || status=1
  step "musl: tarball" -- in_copy musl "$1" "$from_tarball$first_job" || status=1
  say "musl: wheel not tried, because that root has no Python"
  return "$status"
}
