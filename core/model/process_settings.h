// ProcessSettings: what a process has from the shell that started it beside environment and folder: umask and soft resource limits. Ranks get
// those of the submitting shell, not those of whichever shell started the controller. A value; hard limits are no part of it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace muster {

// An absent umask and a limit that is not named mean "as the parent's".
struct ProcessSettings {
  static constexpr uint64_t kUnlimited = UINT64_MAX;

  std::optional<uint32_t> umask;                // at most 0777
  std::map<std::string, uint64_t> soft_limits;  // in getrlimit(2)'s units, by its names: "nofile" is RLIMIT_NOFILE
  bool operator==(const ProcessSettings&) const = default;
};

}  // namespace muster
