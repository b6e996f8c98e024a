// SPDX-License-Identifier: Apache-2.0
// ProcessSettings: settings that a process inherits from its shell, besides environment and folder: umask, soft
// resource limits, allowed CPUs, niceness and ignored signals. Ranks get those of the submitting shell, not those of the shell that
// started the controller, as far as the hard limits and niceness of the controller allow. A value.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace muster {

// A field that is absent or empty, or a limit that is missing, means "as the parent process". Without `ignored_signals`
// no signal is ignored.
struct ProcessSettings {
  static constexpr uint64_t kUnlimited = UINT64_MAX;

  std::optional<uint32_t> umask;                // at most 0777
  std::map<std::string, uint64_t> soft_limits;  // in getrlimit(2)'s units, by its names: "nofile" is RLIMIT_NOFILE
  std::vector<uint32_t> cpus;                   // kernel numbers; for processes that muster does not bind to CPUs
  std::optional<int32_t> nice;                  // -20 to 19; a value that needs a privilege is ignored
  // Signals that the shell had set to be ignored (`trap '' USR1`, nohup, `&` in a script). Without SIGPIPE and SIGXFSZ, which
  // programs ignore for themselves: a child gets their default, as under Python's subprocess.
  std::vector<uint32_t> ignored_signals;
  bool operator==(const ProcessSettings&) const = default;
};

}  // namespace muster
