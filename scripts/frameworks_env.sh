# SPDX-License-Identifier: Apache-2.0
# The frameworks that scripts/test runs, in the user's cache folder. Bash; to be sourced after lib.sh and lean_torch.sh.
#
#   frameworks_python                    prints the path of the interpreter that has them
#   frameworks_install REQUIREMENTS…     installs requirement files of test/frameworks, unless they are installed already
#
#   mpi_install                          makes the environments of test/frameworks/mpi in $mpi_folder: `system` has mpi4py, `pypi` has
#                                        Open MPI 5 too, `mpich` has mpi4py and MPICH 5
#
# The environment also uses the packages of the lean torch of scripts/bench, by a line in a .pth file.

frameworks_cache=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/muster
frameworks_folder=$frameworks_cache/frameworks

mpi_folder=$frameworks_cache/mpi

mpi_install() {
  local folder=test/frameworks/mpi name
  local wanted=$folder/requirements.txt
  cat "$wanted" "$folder/requirements-mpich.txt" | cmp -s - "$mpi_folder/installed" && return
  for name in system pypi mpich; do
    python3 -m venv --clear "$mpi_folder/$name" || return
  done
  grep mpi4py "$wanted" | "$mpi_folder/system/bin/pip" install --quiet -r /dev/stdin || return
  "$mpi_folder/pypi/bin/pip" install --quiet -r "$wanted" || return
  "$mpi_folder/mpich/bin/pip" install --quiet -r "$folder/requirements-mpich.txt" || return
  cat "$wanted" "$folder/requirements-mpich.txt" >"$mpi_folder/installed"
}

frameworks_python() { printf '%s' "$frameworks_folder/bin/python"; }

frameworks_install() {
  local torch=$frameworks_cache/torch-${lean_torch_version%.*} file mark
  lean_torch "$torch" || return
  stand_on "$torch" || return
  for file in "$@"; do
    mark=$frameworks_folder/installed-$(basename "$file")
    cmp -s "$file" "$mark" && continue
    "$frameworks_folder/bin/pip" install --quiet --no-deps -r "$file" && cp "$file" "$mark" || return
  done
}

# Creates an empty environment that also uses the packages of environment $1.
stand_on() {
  local mine
  [[ -x $frameworks_folder/bin/python ]] || python3 -m venv "$frameworks_folder" || return
  mine=$("$frameworks_folder/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))') &&
    "$1/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))' >"$mine/torch.pth"
}
