#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# bin/muster of the tarball and the wheel. muster is built for glibc 2.36. Where the C library is that or newer, the
# program starts by itself; on older or other ones it starts with the loader and C library packed beside it.
self=$0
while [ -L "$self" ]; do
  link=$(readlink "$self")
  case $link in
    /*) self=$link ;;
    *) self=${self%/*}/$link ;;
  esac
done
case $self in
  */*) folder=${self%/*}/../lib/muster ;;
  *) folder=../lib/muster ;;
esac
for library in /lib/x86_64-linux-gnu/libc.so.6 /lib64/libc.so.6 /usr/lib64/libc.so.6 /usr/lib/libc.so.6; do
  [ -e "$library" ] || continue
  if grep -qa 'GLIBC_2\.36' "$library" 2>/dev/null; then exec "$folder/muster" "$@"; fi
  break
done
exec "$folder/older/libraries/loader" --library-path "$folder/older/libraries" "$folder/muster" "$@"
