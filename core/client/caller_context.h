// CallerContext: what a command may know of the process it runs in, read once in main. A value; nothing below
// main asks the system for its environment, terminal or folder again.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/job/process_settings.h"

namespace muster {

struct CallerContext {
  std::string program;  // absolute path of this executable
  std::string loader;   // the one carried along that it was started by (host_script.h); empty: the machine's own
  std::string version;  // "0.1.0"
  std::map<std::string, std::string> environment;
  std::map<std::string, uint64_t> means;  // what children of this process can have at most (process_limits.h)
  ProcessSettings settings;
  std::string user;     // who we are, for people
  std::string workdir;  // absolute; empty: it was removed under us
  bool stdin_tty = false;
  bool stdout_tty = false;
  bool stderr_tty = false;
  uint16_t columns = 0;  // of the terminal that stdout or stderr is; 0: neither
  uint16_t rows = 0;
  uint64_t seed = 0;  // from the system, for names and keys; never for secrets

  // The variable's value; absent when unset or empty, as the XDG specification reads its variables.
  std::optional<std::string> variable(const std::string& name) const;
  // Someone is there to ask: keys can be read and the question be seen.
  bool interactive() const { return stdin_tty && stderr_tty; }
};

CallerContext read_caller_context(const char* argv0);

// Of what the link /proc/self/exe says: where another file has taken the name since the program began, that name.
std::string name_of_program(const std::string& link);

// What starts `program` again, before its arguments: on a host with an older C library its loader and libraries, too.
std::vector<std::string> words_of_program(const CallerContext& caller);

// Tells one build of muster from another: the program's size and time, which cost nothing to read.
std::string binary_hash(const CallerContext& caller);

// What --color says (auto, always, never), else MUSTER_COLOR; then NO_COLOR, CLICOLOR, CLICOLOR_FORCE and FORCE_TTY (any
// value but 0 forces), else colour on a terminal.
bool wants_colour(const CallerContext& caller, bool is_terminal, const std::string& flag = "auto");

}  // namespace muster
