// SPDX-License-Identifier: Apache-2.0
// Layers of configuration, strongest first: the project's muster.yaml, the user's file, the system's file.
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

// The file of each layer, strongest first, whether it exists or not. The project's file is the first muster.yaml from
// `workdir` upwards, up to the root of its git repository or the home folder. If there is none: `workdir`/muster.yaml.
std::vector<ConfigFile> config_files(const CallerContext& caller, const std::string& workdir,
                                     const std::string& system_file = kSystemConfig);

// Reads the files that exist. A file that exists but cannot be read is an error that names it.
Result<std::vector<ConfigLayer>> read_config_layers(const CallerContext& caller, const std::string& workdir,
                                                    const std::string& system_file = kSystemConfig);

}  // namespace muster
