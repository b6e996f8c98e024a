// SPDX-License-Identifier: Apache-2.0
// The shell script that starts muster on a host. It finds a folder where programs may run, requests this build of muster if the host
// does not have it, requests the libraries if the build does not start without them, and executes it.
//
// The remote command is the plain word `sh`, so that every login shell understands it; the script goes to its stdin. It needs sh,
// `dd` or `head -c`, gzip and id, and uses zstd if the host has it. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster::ssh {

// The host confirms each piece of a file with `got`. Size of a piece in bytes.
constexpr size_t kPiece = 256 << 10;

// The remote command of every session.
constexpr const char* kRemoteShell = "sh";

// A message of the script: one line that begins with the session's mark. All other lines are noise of the account's start-up files.
struct HostWord {
  enum class Kind { noise, have, need, got, libraries, nowhere, unfit };
  Kind kind = Kind::noise;
  std::string folder;  // have, need: muster's cache on the host
  bool has_zstd = false;
};

// True for letters, digits and ./_-: words that no shell changes.
bool is_shell_word(std::string_view word);

// `words`: the arguments of muster on the host. Preconditions: `mark` and `hash` consist of a-z, 0-9 and -; for `words` see
// is_shell_word().
std::string host_script(const std::string& mark, const std::string& hash, const std::vector<std::string>& words);

// `line` is without its newline.
HostWord read_host_word(std::string_view line, const std::string& mark);

}  // namespace muster::ssh
