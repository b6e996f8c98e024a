# SPDX-License-Identifier: Apache-2.0
# Helpers for the scripts of this folder. Bash; to be sourced.
#
#   say TEXT…                      prints a line "muster: TEXT"
#   step TEXT -- COMMAND…          runs COMMAND without output and prints its duration; after a failure prints the end of its output
#   humane SECONDS                 prints a duration: "12 s", "3 m 41 s"
#   packages SECTION…              prints the package names of these sections of scripts/packages.txt
#   install_missing SECTION…       installs the missing packages with apt-get, or prints what to do if that is not possible
#   separate_apt FOLDER TYPE SUITE WORD…
#                                  runs apt-get with the package lists of another release of Debian, which it keeps in FOLDER: this
#                                  machine never installs its packages. TYPE: deb, or deb-src for source packages
#   unpack_packages FOLDER ROOT    unpacks FOLDER/packages/*.deb in an empty folder ROOT
#   build_preset PRESET [TARGET…]  configures and builds build/PRESET, all targets or the given ones

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
log_folder="$root/build/log"
# The compiler cache, in the user's cache folder.
export CCACHE_DIR="${CCACHE_DIR:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/ccache}"
# Several clones share the cache: paths are relative to the clone (ccache manual, "Compiling in different directories").
export CCACHE_BASEDIR="$root" CCACHE_NOHASHDIR=1

say() { printf 'muster: %s\n' "$*"; }

fail() {
  printf 'muster: %s\n' "$*" >&2
  exit 1
}

humane() {
  if (($1 >= 60)); then printf '%d m %02d s' $(($1 / 60)) $(($1 % 60)); else printf '%d s' "$1"; fi
}

# Prints Ninja's last "[12/345]" in a log as "12/345".
progress_of() { tail -c 300 "$1" 2>/dev/null | grep -o '\[[0-9]*/[0-9]*\]' | tail -n 1 | tr -d '[]'; }

# watch_step PID TEXT LOG BEGIN: until the process ends, shows TEXT with its progress and duration on a terminal.
watch_step() {
  local width=${COLUMNS:-$(tput cols 2>/dev/null || echo 80)}
  while kill -0 "$1" 2>/dev/null; do
    printf '\r\033[K%-*.*s %9s %10s' 58 $((width > 82 ? 58 : width - 24)) "$2" "$(progress_of "$3")" \
      "$(humane $((SECONDS - $4)))"
    sleep 0.5
  done
  printf '\r\033[K'
}

step() {
  local text=""
  while [[ $1 != -- ]]; do text="$text${text:+ }$1"; shift; done
  shift
  mkdir -p "$log_folder"
  local log="$log_folder/step-$$.log" begin=$SECONDS status=0 line="muster: $text"
  if [[ -t 1 ]]; then
    set -m  # a separate process group, so that Ctrl-C ends all its processes
    "$@" >"$log" 2>&1 </dev/null &
    local child=$!
    set +m
    trap 'kill -- -$child 2>/dev/null; printf "\n"; exit 130' INT TERM
    watch_step "$child" "$line" "$log" "$begin"
    wait "$child" || status=$?
    trap - INT TERM
    printf '%-68s %10s\n' "$line" "$(humane $((SECONDS - begin)))"
  else
    printf '%-68s ' "$line"
    "$@" >"$log" 2>&1 </dev/null || status=$?
    printf '%10s\n' "$(humane $((SECONDS - begin)))"
  fi
  if ((status != 0)); then
    tail -n 60 "$log" >&2
    say "$text: failed with exit status $status; the last 60 lines of the output are above" >&2
  fi
  rm -f "$log"
  return "$status"
}

packages() {
  local section
  for section in "$@"; do
    awk -v wanted="[$section]" '{sub(/#.*/, "")} /^\[/ {inside = ($1 == wanted); next} inside && NF {print $1}' \
      "$root/scripts/packages.txt"
  done | sort -u
}

missing_packages() {
  packages "$@" | while read -r name; do
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null) == installed ]] || echo "$name"
  done
}

# run_apt NAME… -- [PREFIX…]: PREFIX is the command that becomes root.
run_apt() {
  local names=()
  while [[ $1 != -- ]]; do names+=("$1"); shift; done
  shift
  export DEBIAN_FRONTEND=noninteractive
  "$@" apt-get -q update || return
  "$@" apt-get -q -y -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 install --no-install-recommends "${names[@]}"
}

install_missing() {
  command -v dpkg-query >/dev/null ||
    fail "this machine does not run Debian (there is no dpkg-query). scripts/packages.txt lists the packages that muster needs."
  local names become=()
  mapfile -t names < <(missing_packages "$@")
  ((${#names[@]})) || return 0
  local what="${#names[@]} packages missing (${names[0]} …)" by_hand="apt-get install --no-install-recommends ${names[*]}"
  ((${#names[@]} > 1)) || what="1 package missing (${names[0]})"
  command -v apt-get >/dev/null || fail "$what, and there is no apt-get. Install them: ${names[*]}"
  if ((EUID != 0)); then
    command -v sudo >/dev/null || fail "$what; you are not root and there is no sudo. Ask an administrator to run: $by_hand"
    become=(sudo DEBIAN_FRONTEND=noninteractive)
    # sudo asks for the password here, where the prompt is visible.
    if [[ -t 0 ]]; then sudo -v; else sudo -n true 2>/dev/null; fi ||
      fail "$what; sudo failed. Ask an administrator to run: $by_hand"
  fi
  step "$what: installing with apt-get" -- run_apt "${names[@]}" -- "${become[@]}" ||
    fail "apt-get failed to install: ${names[*]}"
}

separate_apt() {
  mkdir -p "$1"/{lists/partial,archives/partial}
  : >"$1/status"
  echo "$2 [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian $3 main" >"$1/sources.list"
  apt-get -q -o "Dir::Etc::SourceList=$1/sources.list" -o Dir::Etc::SourceParts=/dev/null -o "Dir::State=$1" \
    -o "Dir::State::status=$1/status" -o "Dir::Cache=$1" -o APT::Sandbox::User=root "${@:4}"
}

unpack_packages() {
  local package
  rm -rf "$2"
  for package in "$1"/packages/*.deb; do dpkg -x "$package" "$2" || return; done
}

build_preset() {
  local preset=$1 targets=("${@:2}") cores
  cores=$(nproc)
  ((${#targets[@]})) || targets=(all)
  step "building the $preset preset, $cores cores" -- configure_and_build "$preset" "${targets[@]}"
}

configure_and_build() {
  cmake -S "$root" --preset "$1" && cmake --build "$root/build/$1" --target "${@:2}"
}
