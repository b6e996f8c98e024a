# SPDX-License-Identifier: Apache-2.0
# A root file system with musl as its only C library, like images based on Alpine. Bash; to be sourced.
#
#   musl_root FOLDER     creates it in FOLDER (fetches 1 MB), unless it is there already
#
# Its only program, /bin/rank, prints which C library the rank uses. It is compiled here with Debian's package of musl.

musl_root() {
  [[ ! -x $1/bin/rank ]] || return 0
  local scratch status
  scratch=$(mktemp -d) || return
  fetch_musl "$scratch" && fill_musl_root "$scratch" "$1"
  status=$?
  rm -rf "$scratch"
  return "$status"
}

fetch_musl() {
  local package
  (cd "$1" && apt-get -q -o APT::Sandbox::User=root download musl musl-dev) || return
  for package in "$1"/*.deb; do dpkg-deb -x "$package" "$1/unpacked" || return; done
}

# musl's dynamic loader and its C library are the same file.
fill_musl_root() {
  local loader=/lib/ld-musl-x86_64.so.1 from=$1/unpacked fresh=$2.new
  rm -rf "$fresh"
  mkdir -p "$fresh"/{bin,lib,tmp,proc,dev,sys,etc} && cp "$from/lib/x86_64-linux-musl/libc.so" "$fresh$loader" &&
    compile_for_musl "$from" "$loader" "$fresh/bin/rank" && rm -rf "$2" && mkdir -p "$(dirname "$2")" && mv "$fresh" "$2"
}

compile_for_musl() {
  local libraries=$1/usr/lib/x86_64-linux-musl
  cc -O1 -nostdinc -isystem "$1/usr/include/x86_64-linux-musl" -nostdlib -no-pie -fno-stack-protector -U_FORTIFY_SOURCE -o "$3" \
    -Wl,-dynamic-linker,"$2" "$libraries"/crt1.o "$libraries"/crti.o -x c - -x none -L"$1/lib/x86_64-linux-musl" -l:libc.so "$libraries"/crtn.o <<'PROGRAM'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  char line[512];
  FILE* maps = fopen("/proc/self/maps", "r");
  const char* library = "none";
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
    if (strstr(line, "ld-musl") != NULL) library = "musl";
    if (strstr(line, "/muster/") != NULL) library = "muster's own";
  }
  printf("rank %s of %s has %s\n", getenv("MUSTER_RANK"), getenv("MUSTER_WORLD_SIZE"), library);
  return 0;
}
PROGRAM
}
