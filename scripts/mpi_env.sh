# SPDX-License-Identifier: Apache-2.0
# Installs the packages of the tests of MPI in $mpi_folder, below the user's cache folder. Bash; source it after lib.sh and frameworks_env.sh.
#
#   mpi_install     makes environments with mpi4py (`system` also has MLX, `pypi` Open MPI 5, `mpich` MPICH 5, `intel` Intel MPI), `suite`
#                   with the test suite of MPICH, and `newer` with Open MPI and libpmix of Debian testing

mpi_folder=$frameworks_cache/mpi

mpi_install() {
  local name
  for name in system pypi mpich intel; do
    mpi_environment "$name" || return
  done
  mpich_suite "$mpi_folder/suite" && newer_open_mpi "$mpi_folder/newer"
}

# The requirements of an environment are in requirements-NAME.txt.
mpi_environment() {
  local wanted=test/frameworks/mpi/requirements-$1.txt folder=$mpi_folder/$1
  cmp -s "$wanted" "$folder/installed" && return
  python3 -m venv --clear "$folder" && "$folder/bin/pip" install --quiet -r "$wanted" && cp "$wanted" "$folder/installed"
}

# mpich_suite FOLDER: the C programs in test/mpi of Debian's source package of MPICH (fetches 22 MB).
mpich_suite() {
  [[ ! -e $1/util/mtest.c ]] || return 0
  local scratch status
  scratch=$(mktemp -d) || return
  separate_apt "$scratch" deb-src bookworm update &&
    (cd "$scratch" && separate_apt "$scratch" deb-src bookworm source --download-only mpich) &&
    rm -rf "$1.new" && mkdir -p "$1.new" && tar -xf "$scratch"/mpich_*.orig.tar.* -C "$1.new" --wildcards --strip-components 3 '*/test/mpi' &&
    rm -rf "$1" && mv "$1.new" "$1"
  status=$?
  rm -rf "$scratch"
  return "$status"
}

# newer_open_mpi FOLDER: a root with Open MPI, libpmix and the C library of Debian testing (fetches 20 MB).
newer_open_mpi() {
  [[ ! -e $1/usr/lib/x86_64-linux-gnu/libmpi.so.40 ]] || return 0
  local scratch status
  scratch=$(mktemp -d) && chmod 755 "$scratch" || return
  fetch_newer_open_mpi "$scratch" && unpack_packages "$scratch" "$1.new" && rm -rf "$1" && mv "$1.new" "$1"
  status=$?
  rm -rf "$scratch"
  return "$status"
}

# All that apt would install, but for the large packages of compilers and GPUs: libmpi.so.40 does not need them.
fetch_newer_open_mpi() {
  local names
  separate_apt "$1" deb testing update >/dev/null || return
  names=$(separate_apt "$1" deb testing install --simulate --no-install-recommends libopenmpi40 | awk '$1 == "Inst" {print $2}' |
    grep -vE 'llvm|clang|amd|hsa|z3|systemd|java|x11|xcb|gconv') || return
  # shellcheck disable=SC2086  # words
  (mkdir -p "$1/packages" && cd "$1/packages" && separate_apt "$1" deb testing download $names)
}
