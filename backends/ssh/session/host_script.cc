// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/session/host_script.h"

#include <algorithm>
#include <cctype>

#include "core/base/check.h"
#include "core/base/text.h"

namespace muster::ssh {
namespace {

// - The script is in braces, so that sh reads all of it before it runs any of it. After that, stdin belongs to `read` and `dd`, which
//   read no more than requested. BusyBox's `head` reads ahead.
// - A folder on a file system without exec cannot be used. A folder under /tmp could belong to somebody else, or be a link that is
//   exchanged meanwhile: it must be a real folder of this user; then the sticky bit protects it.
// - If the host's loader refuses the program, as that of an older C library does, the script requests the loader and the libraries of
//   the sending machine and uses them for muster only. Different hosts may share a home, so the choice is a file beside the program with
//   the host's name (.alone-HOST or .carried-HOST). Temporary files have the host's name, too.
// - `need-zstd` reports that the host has zstd. The answer names the compression.
// - Received bytes are stored before they are unpacked, and each piece is confirmed. Reason: gzip is slower than most networks, and an
//   sshd that buffers megabytes uses more CPU than gzip.
// - If two sessions bring the program at the same time, as hosts with a shared home do, the first copy stays, because the other session
//   may already run it and starts agents by its path. `ln` does not replace a file; `mv` is used if there are no hard links.
// - If the program is there, no other program is started. Writing `.used` tests that the folder can be written and records the use.
constexpr std::string_view kScript = R"sh({ m=
h=; { read -r h </proc/sys/kernel/hostname; } 2>/dev/null
own() { m=${m:-$(umask)}; umask 077; }
say() { printf '\n%s %s\n' @MARK@ "$*"; }
fits() {
  [ -n "$1" ] || return 1
  t="$1/bin/@HASH@"
  [ -x "$t/muster" ] && [ -O "$t/muster" ] && echo >"$t/.used" && return 0
  own; mkdir -p "$t" 2>/dev/null && [ -O "$1" ] || return 1
  t="$1/bin/.try-$h-$$"
  printf '#!/bin/sh\nexit 0\n' 2>/dev/null >"$t" && chmod 700 "$t" && "$t" 2>/dev/null; s=$?
  rm -f "$t"; return $s
}
shared() {
  own; mkdir "$1" 2>/dev/null
  (cd -P "$1" && [ "$(pwd -P)" = "$1" ] && [ -O . ]) 2>/dev/null && fits "$1"
}
d=
for f in "${XDG_CACHE_HOME:+$XDG_CACHE_HOME/muster}" "${HOME:+$HOME/.cache/muster}"; do
  if fits "$f" 2>/dev/null; then d=$f; break; fi
done
[ -n "$d" ] || for f in /var/tmp /tmp; do
  n=$f/muster-cache-$(id -u)
  if shared "$n"; then d=$n; break; fi
done
[ -n "$d" ] || { say nowhere; exit 3; }
b="$d/bin/@HASH@"; p="$b/muster"; l="$b/libraries"
take() {
  left=$1; : >"$2.gz"
  while [ "$left" -gt 0 ]; do
    part=$((left < @PIECE@ ? left : @PIECE@)); left=$((left - part))
    { dd bs=$part count=1 iflag=fullblock 2>/dev/null || head -c $part; } >>"$2.gz" && say got || return 1
  done
  "${3:-gzip}" -dc <"$2.gz" >"$2" && rm -f "$2.gz" && chmod 700 "$2"
}
libraries() {
  [ ! -d "$l" ] || return 0
  n="$b/.new-$h-$$-libraries"; rm -rf "$n"; mkdir "$n" || return 1
  say libraries
  while read -r name size && [ "$name" != . ]; do take "$size" "$n/$name" || { rm -rf "$n"; return 1; }; done
  [ -d "$l" ] || mv "$n" "$l"
  rm -rf "$n" "$l/${n##*/}"
}
unfit() { rm -f "$b/.new-$h-$$" "$b/.new-$h-$$.gz"; say unfit; exit 4; }
if [ ! -x "$p" ] || [ ! -e "$b/.alone-$h" -a ! -e "$b/.carried-$h" ]; then
  own; t="$p"
  if [ ! -x "$p" ]; then
    t="$b/.new-$h-$$"; z=; command -v zstd >/dev/null && z=-zstd
    say need$z "$d"; read -r size z; take "$size" "$t" $z || unfit
  fi
  if e=$("$t" version 2>&1); then k=alone
  elif libraries && "$l/loader" --library-path "$l" "$t" version >/dev/null; then k=carried
  else echo "$e" >&2; ls "$b"/.carried-* >/dev/null 2>&1 || rm -rf "$l"; unfit
  fi
  [ "$t" = "$p" ] || ln "$t" "$p" 2>/dev/null || [ -x "$p" ] || mv -f "$t" "$p"
  rm -f "$b/.new-$h-$$"
  : >"$b/.$k-$h"
fi
say have "$d"; [ -z "$m" ] || umask "$m"
[ ! -e "$b/.carried-$h" ] || exec "$l/loader" --library-path "$l" "$p" @WORDS@
exec "$p" @WORDS@
}
)sh";

bool is_plain(std::string_view word) {
  return !word.empty() && word.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string_view::npos;
}

void replace(std::string& text, std::string_view name, std::string_view value) {
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + value.size()))
    text.replace(at, name.size(), value);
}

}  // namespace

bool is_shell_word(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("./_-").find(c) != std::string_view::npos;
  });
}

std::string host_script(const std::string& mark, const std::string& hash, const std::vector<std::string>& words) {
  MUSTER_CHECK(is_plain(mark) && is_plain(hash) && std::all_of(words.begin(), words.end(), is_shell_word));
  std::string script(kScript);
  replace(script, "@MARK@", mark);
  replace(script, "@HASH@", hash);
  replace(script, "@PIECE@", std::to_string(kPiece));
  replace(script, "@WORDS@", join(words, " "));
  return script;
}

HostWord read_host_word(std::string_view line, const std::string& mark) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (!line.starts_with(mark + " ")) return {};
  const std::string_view rest = line.substr(mark.size() + 1);
  const std::string_view word = rest.substr(0, rest.find(' '));
  const std::string folder(rest.size() > word.size() ? rest.substr(word.size() + 1) : "");
  if (word == "have") return {HostWord::Kind::have, folder};
  if (word == "need" || word == "need-zstd") return {HostWord::Kind::need, folder, word == "need-zstd"};
  if (word == "libraries") return {HostWord::Kind::libraries, ""};
  if (word == "got") return {HostWord::Kind::got, ""};
  if (word == "nowhere") return {HostWord::Kind::nowhere, ""};
  if (word == "unfit") return {HostWord::Kind::unfit, ""};
  return {};
}

}  // namespace muster::ssh
