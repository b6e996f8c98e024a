// ProcessSettings: what a process has from the shell that started it beside environment and folder: umask, soft
// resource limits, the CPUs it may run on, niceness. Ranks get those of the submitting shell, not those of whichever
// shell started the controller, as far as that one's hard limits and niceness allow. A value.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace muster {

// What is absent, empty or not named means "as the parent's".
struct ProcessSettings {
  static constexpr uint64_t kUnlimited = UINT64_MAX;

  std::optional<uint32_t> umask;                // at most 0777
  std::map<std::string, uint64_t> soft_limits;  // in getrlimit(2)'s units, by its names: "nofile" is RLIMIT_NOFILE
  std::vector<uint32_t> cpus;                   // kernel numbers, for processes that are not bound to CPUs of their own
  std::optional<int32_t> nice;                  // -20 to 19; one that would be a privilege is passed over
  bool operator==(const ProcessSettings&) const = default;
};

}  // namespace muster
