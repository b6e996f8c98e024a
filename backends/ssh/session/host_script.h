// What a host's shell is told before it is handed to muster: find a folder that may hold programs, ask for this build of muster
// unless it is there, for its libraries where it does not start without them, and become it. The remote command is one plain word, so that whatever login shell an account has
// understands it; this text goes to its stdin. sh, `head -c`, gzip, id; zstd where there is one. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster::ssh {

// The most bytes of a file that it takes before it says `got`.
constexpr size_t kPiece = 256 << 10;

// The word that a session's remote command is.
constexpr const char* kRemoteShell = "sh";

// What the script says, each on a line of its own behind the session's mark. Whatever else arrives is noise of the account's start-up files.
struct HostWord {
  enum class Kind { noise, have, need, got, libraries, nowhere, unfit };
  Kind kind = Kind::noise;
  std::string folder;  // have, need: where programs of muster are kept there
  bool has_zstd = false;
};

// All of it is plain, a-z, 0-9 and -, which is an invariant. `words`: what muster is called with there.
std::string host_script(const std::string& mark, const std::string& hash, const std::vector<std::string>& words);

// A line without its end.
HostWord read_host_word(std::string_view line, const std::string& mark);

}  // namespace muster::ssh
