// Where configuration comes from, strongest first: muster.yaml of the project, the user's, the system's.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/client/caller_context.h"
#include "core/job/file/job_yaml.h"

namespace muster {

constexpr const char* kSystemConfig = "/etc/muster/config.yaml";

struct ConfigFile {
  std::string layer;  // "project", "user", "system"
  std::string path;
  bool there = false;
};

// Where each layer is looked for, strongest first. The project's is the first muster.yaml from `workdir` upward, at most to
// the root of its git repository or to the home folder; where there is none, the one `workdir` would have.
std::vector<ConfigFile> config_files(const CallerContext& caller, const std::string& workdir,
                                     const std::string& system_file = kSystemConfig);

// Those that exist. A file that is there and cannot be read is an error that names it.
Result<std::vector<ConfigLayer>> read_config_layers(const CallerContext& caller, const std::string& workdir,
                                                    const std::string& system_file = kSystemConfig);

}  // namespace muster
