# Runs tests as a user without privileges: an empty home, no inherited variables, no writable cgroup. Sourced by scripts/test.
#
#   as_unprivileged BINARY TESTS REPORT [FLAG…]
#                                          pytest over TESTS, a folder or a file, against BINARY (both relative to the project);
#                                          JUnit to REPORT. The tests find the program in MUSTER_BINARY and the project in
#                                          MUSTER_PROJECT; `faults.*` that they leave in their home go beside REPORT.
#                                          FLAGs are pytest's.
#   side_by_side WORKERS BINARY TESTS REPORT [FLAG…]
#                                          the same with several tests at a time, each worker in a sandbox (scripts/sandbox)
#   can_make_sandboxes                     whether this user can have sandboxes on this machine
#   leave_unprivileged                     ends what the tests left running and removes their home
#
# Root becomes the user muster-test (made once, without a home), or nobody where no user can be made. Anyone else stays who
# they are. A project that this user cannot read, such as one below /root, is copied as far as the tests need it.

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
  plain_home=$(mktemp -d /tmp/mt.XXXXXX) # short: sockets of tests lie deep below it, and the path of a socket has at most 107 bytes
  if ((EUID == 0)); then chown "$plain_user:" "$plain_home"; fi
}

drop() {
  if ((EUID == 0)); then
    setpriv --reuid "$plain_user" --regid "$(id -g "$plain_user")" --clear-groups --inh-caps=-all --bounding-set=-all "$@"
  else
    "$@"
  fi
}

# Can the user run $1 and read all of $2…?
readable() {
  local binary=$1
  shift
  drop test -x "$binary" && [[ -z $(drop find "$@" ! -readable -print -quit 2>&1) ]]
}

# A copy of what the tests need, laid out like the project.
stage_project() {
  local stage=$plain_home/project
  rm -rf "$stage"
  mkdir -p "$stage/$(dirname "$1")"
  cp "$root/$1" "$stage/$1"
  # What stands beside it: libmuster and the programs of its tests.
  for beside in lib worker_probe fashion_mnist embed stand_in; do
    [[ ! -e $(dirname "$root/$1")/$beside ]] || cp -r "$(dirname "$root/$1")/$beside" "$stage/$(dirname "$1")/"
  done
  (cd "$root" && cp -r --parents "${@:2}" "$stage")
  chmod -R a+rX "$stage"
  printf '%s' "$stage"
}

# Sets `project` and `environment` of the caller.
prepare_unprivileged() {
  local binary=$1 folder=$2 needed=()
  [[ -e $root/$folder ]] || { say "there is no $folder yet"; return 1; }
  enter_unprivileged
  # test/faults uses the helpers of test/e2e.
  for part in "$folder" test/faults test/e2e examples docs core/worker/include; do
    [[ ! -e $root/$part || " ${needed[*]} " == *" $part "* ]] || needed+=("$part")
  done
  # From elsewhere: below a folder we were in before, names would be found that the user cannot reach from the top.
  (cd / && readable "$root/$binary" "${needed[@]/#/$root/}") || project=$(stage_project "$binary" "${needed[@]}")
  environment=(HOME="$plain_home" USER="$plain_user" LOGNAME="$plain_user" SHELL=/bin/bash LANG=C.UTF-8
    TERM="${TERM:-dumb}" PATH=/usr/local/bin:/usr/bin:/bin PYTHONDONTWRITEBYTECODE=1
    MUSTER_BINARY="$project/$binary" MUSTER_PROJECT="$project"
    SOAK_SEED="${SOAK_SEED:-}" ASAN_OPTIONS=abort_on_error=0:exitcode=99 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1)
}

# run_world_tests TESTS REPORT FLAG… -- PREFIX…: PREFIX becomes the user.
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
  ((status != 124)) || say "$folder was stopped after $world_limit"
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

# pytest itself only hands out the tests, so it keeps the rights that it needs to make sandboxes. A worker has none.
side_by_side() {
  local workers=$1 project=$root environment=()
  shift
  prepare_unprivileged "$1" "$2" || return
  write_worker "$plain_home/worker"
  run_world_tests "${@:2}" --dist load --tx "$workers*popen//python=$plain_home/worker" -- env
}

# The program that pytest-xdist starts as the Python of a worker.
write_worker() {
  mkdir -p "$plain_home/sandboxes"
  {
    printf '#!/bin/bash\nset -e\n'
    printf 'SANDBOX_TMP=$(mktemp -d %q/XXXXXX)\n' "$plain_home/sandboxes"
    # The folder that pytest makes its temporary folders in.
    printf 'mkdir -m 755 -p "$SANDBOX_TMP/%s/t"\n' "${plain_home#/tmp/}"
    ((EUID != 0)) || printf 'chown -R %q: "$SANDBOX_TMP/%s"\n' "$plain_user" "${plain_home#/tmp/}"
    printf 'export SANDBOX_TMP SANDBOX_USER=%q SANDBOX_KEEP=%q\n' "$plain_user" "$project"
    printf 'exec %q /usr/bin/python3 "$@"\n' "$root/scripts/sandbox"
  } >"$1"
  chmod 755 "$1"
}

# Ours are the processes with this HOME, or one below it; others of the same user may belong to another run.
leave_unprivileged() {
  [[ -n $plain_home ]] || return 0
  local process id
  for process in /proc/[0-9]*; do
    id=${process#/proc/}
    if tr '\0' '\n' 2>/dev/null <"$process/environ" | grep -qE "^HOME=$plain_home(/|$)"; then
      say "left behind and ended now: $(tr '\0' ' ' 2>/dev/null <"$process/cmdline")"
      kill -9 "$id" 2>/dev/null
    fi
  done
  rm -rf "$plain_home"
  plain_home=""
}
