# SPDX-License-Identifier: Apache-2.0
# The frameworks that scripts/test runs, in the user's cache folder. Bash; to be sourced after lib.sh and lean_torch.sh.
#
#   frameworks_python                    prints the path of the interpreter that has them
#   frameworks_install REQUIREMENTS…     installs requirement files of test/frameworks, unless they are installed already
#
#   venv_install NAME                    makes the environment of test/frameworks/NAME, with its requirements.txt
#   venv_python NAME                     prints the path of its interpreter
#   whole_packages NAME                  prints the folder with all its packages
#
#   horovod_install                      makes the environment of test/frameworks/horovod: builds Horovod for PyTorch 2.15 and for the
#                                        TensorFlow of test/frameworks/tensorflow (five minutes)
#
# The environment also uses the packages of the lean torch of scripts/bench, by a line in a .pth file.

frameworks_cache=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/muster
frameworks_folder=$frameworks_cache/frameworks

# Horovod 0.28.1 is older than torch 2.15, whose headers need C++20. PyPI has only its sources. Its kernels for XLA, which Horovod does
# not use unless HOROVOD_ENABLE_XLA_OPS is set, are left out: they need headers that the wheel of TensorFlow 2.21 does not have.
horovod_install() {
  local folder=$frameworks_cache/horovod torch=$frameworks_cache/torch-${lean_torch_version%.*} wanted=test/frameworks/horovod/requirements.txt
  cmp -s "$wanted" "$folder/installed" && return
  lean_torch "$torch" && venv_install tensorflow && python3 -m venv --clear "$folder" || return
  frameworks_folder=$folder stand_on "$torch" && frameworks_folder=$folder stand_on "$frameworks_cache/tensorflow" || return
  grep -v '^horovod==' "$wanted" | "$folder/bin/pip" install --quiet -r /dev/stdin || return
  build_horovod "$folder" "$(grep '^horovod==' "$wanted")" && cp "$wanted" "$folder/installed"
}

build_horovod() {
  local source=$1/source
  mkdir -p "$source"
  "$1/bin/pip" download --quiet --no-deps --no-build-isolation --no-binary :all: -d "$source" "$2" &&
    tar -xf "$source"/horovod-*.tar.gz -C "$source" --strip-components 1 &&
    sed -i 's/CMAKE_CXX_STANDARD 14/CMAKE_CXX_STANDARD 20/' "$source/CMakeLists.txt" "$source/horovod/torch/CMakeLists.txt" &&
    sed -i '/xla_mpi_ops\.cc/d' "$source/horovod/tensorflow/CMakeLists.txt" &&
    PATH=$1/bin:$PATH HOROVOD_WITH_PYTORCH=1 HOROVOD_WITH_TENSORFLOW=1 HOROVOD_WITH_GLOO=1 HOROVOD_WITHOUT_MXNET=1 HOROVOD_WITHOUT_MPI=1 \
      CMAKE_POLICY_VERSION_MINIMUM=3.5 "$1/bin/pip" install --quiet --no-build-isolation --no-deps "$source" &&
    rm -rf "$source"
}

# Prints a folder with all packages of environment $1. Another user cannot read the environments that Horovod's stands on, so all
# packages are linked into a new folder beside it, each from the first environment that has it.
whole_packages() {
  local own whole other package
  own=$(echo "$frameworks_cache/$1"/lib/python3*/site-packages)
  [[ $1 == horovod ]] || { printf '%s' "$own"; return; }
  whole=$frameworks_cache/horovod-whole/${own#"$frameworks_cache/horovod/"}
  rm -rf "$whole" && mkdir -p "$whole" || return
  while read -r other; do
    for package in "$other"/*; do
      [[ -e $whole/${package##*/} || $package == *.pth ]] || cp -rl "$package" "$whole" || return
    done
  done < <(printf '%s\n' "$own" && cat "$own"/t*.pth)
  printf '%s' "$whole"
}

venv_python() { printf '%s' "$frameworks_cache/$1/bin/python"; }

venv_install() {
  local folder=$frameworks_cache/$1 wanted=test/frameworks/$1/requirements.txt
  cmp -s "$wanted" "$folder/installed" && return
  python3 -m venv --clear "$folder" && "$folder/bin/pip" install --quiet -r "$wanted" && cp "$wanted" "$folder/installed"
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
    "$1/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))' >"$mine/$(basename "$1").pth"
}
