// SPDX-License-Identifier: Apache-2.0
// CallerContext: the environment, terminal and working folder of this process, read once in main. A value. Code below
// main reads them from here and never asks the system again.
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
  std::string called;   // argv[0]: the word by which it was called
  std::string loader;   // the dynamic loader copied along with the program (host_script.h); empty: the machine's own
  std::string version;  // "0.1.0"
  std::map<std::string, std::string> environment;
  std::map<std::string, uint64_t> means;  // upper limits for children of this process (process_limits.h)
  ProcessSettings settings;
  std::string user;     // name of the effective user
  std::string workdir;  // absolute; empty: the folder was removed
  bool stdin_tty = false;
  bool stdout_tty = false;
  bool stderr_tty = false;
  uint16_t columns = 0;  // width of the terminal on stdout or stderr; 0: neither is a terminal
  uint16_t rows = 0;
  uint64_t seed = 0;  // random, for job names and submit keys; never for secrets

  // The variable's value; absent when unset or empty, as the XDG specification reads its variables.
  std::optional<std::string> variable(const std::string& name) const;
  // True if a question can be asked: stdin and stderr are terminals.
  bool interactive() const { return stdin_tty && stderr_tty; }
};

CallerContext read_caller_context(const char* argv0);

// The path in `link`, the target of /proc/self/exe. If the program was replaced since it started and a new file has its
// name, " (deleted)" is removed from the end.
std::string name_of_program(const std::string& link);

// The words that start `program` again, before its arguments. On a host with an older C library they begin with the
// loader and the library folder that were copied along.
std::vector<std::string> words_of_program(const CallerContext& caller);

// Identifies this build of muster: version, and size and modification time of the program's file.
std::string binary_hash(const CallerContext& caller);

// Whether to print colours. --color (`flag`: auto, always, never) wins, then MUSTER_COLOR, then CLICOLOR_FORCE and
// FORCE_TTY (any value but 0), then NO_COLOR, CLICOLOR and TERM; else colours only on a terminal.
bool wants_colour(const CallerContext& caller, bool is_terminal, const std::string& flag = "auto");

}  // namespace muster
