# SPDX-License-Identifier: Apache-2.0
# Runs tests as a user without privileges: with an empty home, no inherited variables and no writable cgroup. Bash; to be sourced.
#
#   as_unprivileged BINARY TESTS REPORT [FLAG…]
#                                          runs pytest with TESTS (a folder or a file) and BINARY, both relative to the project, and
#                                          writes JUnit XML to REPORT. The tests find the program in MUSTER_BINARY and the project in
#                                          MUSTER_PROJECT. Files `faults.*` in their home are moved beside REPORT. FLAGs are pytest's.
#   side_by_side WORKERS BINARY TESTS REPORT [FLAG…]
#                                          the same with several tests in parallel, each worker in a sandbox (scripts/sandbox)
#   can_make_sandboxes                     whether this user can create sandboxes on this machine
#   leave_unprivileged                     ends processes that the tests left running and removes their home
#
# Root runs the tests as the user muster-test (created once, without a home), or as nobody if no user can be created. Other users
# run them as themselves. If the test user cannot read the project, for example below /root, the needed files are copied.

plain_user=""
plain_home=""
world_limit=25m

# Sets plain_user.
choose_plain_user() {
  plain_user=$(id -un)
  if ((EUID == 0)); then
    plain_user=muster-test
    id -u "$plain_user" >/dev/null 2>&1 ||
      useradd --system --no-create-home --home-dir /nonexistent --shell /bin/bash "$plain_user" 2>/dev/null ||
      plain_user=nobody
  fi
}

enter_unprivileged() {
  [[ -z $plain_home ]] || return 0
  choose_plain_user
  plain_home=$(mktemp -d /tmp/mt.XXXXXX) # a short path: sockets of tests are deep below it, and a socket path is limited to 107 bytes
  if ((EUID == 0)); then chown "$plain_user:" "$plain_home"; fi
}

drop() {
  if ((EUID == 0)); then
    setpriv --reuid "$plain_user" --regid "$(id -g "$plain_user")" --clear-groups --inh-caps=-all --bounding-set=-all "$@"
  else
    "$@"
  fi
}

# Whether the user can run $1 and read all files of $2…
readable() {
  local binary=$1
  shift
  drop test -x "$binary" && [[ -z $(drop find "$@" ! -readable -print -quit 2>&1) ]]
}

# Copies the files that the tests need to a folder with the project's layout, and prints its path.
stage_project() {
  local stage=$plain_home/project
  rm -rf "$stage"
  mkdir -p "$stage/$(dirname "$1")"
  cp "$root/$1" "$stage/$1"
  # Files beside the program: libmuster and test programs.
  for beside in lib worker_probe fashion_mnist embed stand_in; do
    [[ ! -e $(dirname "$root/$1")/$beside ]] || cp -r "$(dirname "$root/$1")/$beside" "$stage/$(dirname "$1")/"
  done
  (cd "$root" && cp -r --parents "${@:2}" "$stage")
  chmod -R a+rX "$stage"
  printf '%s' "$stage"
}

# Sets the variables `project` and `environment` of the caller.
prepare_unprivileged() {
  local binary=$1 folder=$2 needed=()
  [[ -e $root/$folder ]] || { say "there is no $folder"; return 1; }
  enter_unprivileged
  # test/faults uses the helpers of test/e2e.
  for part in "$folder" test/faults test/e2e examples docs core/worker/include; do
    [[ ! -e $root/$part || " ${needed[*]} " == *" $part "* ]] || needed+=("$part")
  done
  # Run from /: below the current folder, find would reach files that the user cannot reach from /.
  (cd / && readable "$root/$binary" "${needed[@]/#/$root/}") || project=$(stage_project "$binary" "${needed[@]}")
  environment=(HOME="$plain_home" USER="$plain_user" LOGNAME="$plain_user" SHELL=/bin/bash LANG=C.UTF-8
    TERM="${TERM:-dumb}" PATH=/usr/local/bin:/usr/bin:/bin PYTHONDONTWRITEBYTECODE=1
    MUSTER_BINARY="$project/$binary" MUSTER_PROJECT="$project"
    SOAK_SEED="${SOAK_SEED:-}" ASAN_OPTIONS=abort_on_error=0:exitcode=99 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1)
}

# run_world_tests TESTS REPORT FLAG… -- PREFIX…: PREFIX is the command that becomes the user.
run_world_tests() {
  local folder=$1 report=$2 flags=()
  shift 2
  while [[ $1 != -- ]]; do flags+=("$1"); shift; done
  shift
  rm -rf "$plain_home/t"
  (cd "$project" && "$@" env -i "${environment[@]}" timeout --kill-after=20s "$world_limit" \
    /usr/bin/python3 -m pytest -q --tb=short -p no:cacheprovider -p no:rerunfailures --basetemp="$plain_home/t" \
    --junitxml="$plain_home/report.xml" "${flags[@]}" "$folder" </dev/null | grep -vE '^bringing up nodes|generated xml'
    exit "${PIPESTATUS[0]}")
  local status=$?
  ((status != 124)) || say "$folder was stopped after the limit of $world_limit"
  [[ ! -f $plain_home/report.xml ]] || mv "$plain_home/report.xml" "$report"
  mv "$plain_home"/faults.* "$(dirname "$report")" 2>/dev/null
  return "$status"
}

as_unprivileged() {
  local project=$root environment=()
  prepare_unprivileged "$1" "$2" && run_world_tests "${@:2}" -- drop
}

can_make_sandboxes() {
  choose_plain_user
  SANDBOX_USER=$plain_user "$root/scripts/sandbox" true 2>/dev/null
}

# The main pytest process only distributes the tests; it keeps the privileges that it needs to create sandboxes. Workers have none.
side_by_side() {
  local workers=$1 project=$root environment=()
  shift
  prepare_unprivileged "$1" "$2" || return
  write_worker "$plain_home/worker"
  run_world_tests "${@:2}" --dist load --tx "$workers*popen//python=$plain_home/worker" -- env
}

# Writes the program that pytest-xdist starts as the Python of a worker.
write_worker() {
  mkdir -p "$plain_home/sandboxes"
  {
    printf '#!/bin/bash\nset -e\n'
    printf 'SANDBOX_TMP=$(mktemp -d %q/XXXXXX)\n' "$plain_home/sandboxes"
    # The folder in which pytest creates its temporary folders.
    printf 'mkdir -m 755 -p "$SANDBOX_TMP/%s/t"\n' "${plain_home#/tmp/}"
    ((EUID != 0)) || printf 'chown -R %q: "$SANDBOX_TMP/%s"\n' "$plain_user" "${plain_home#/tmp/}"
    printf 'export SANDBOX_TMP SANDBOX_USER=%q SANDBOX_KEEP=%q\n' "$plain_user" "$project"
    printf 'exec %q /usr/bin/python3 "$@"\n' "$root/scripts/sandbox"
  } >"$1"
  chmod 755 "$1"
}

# Ends the processes whose HOME is this home or a folder below it; other processes of the user may belong to another run.
leave_unprivileged() {
  [[ -n $plain_home ]] || return 0
  local process id home
  for process in /proc/[0-9]*; do
    id=${process#/proc/}
    home=$(tr '\0' '\n' 2>/dev/null <"$process/environ" | grep -E "^HOME=$plain_home(/|$)") || continue
    # The folder in HOME names the test.
    say "the tests left a process running, which is ended now: $(tr '\0' ' ' 2>/dev/null <"$process/cmdline"), $home"
    kill -9 "$id" 2>/dev/null
  done
  rm -rf "$plain_home"
  plain_home=""
}
