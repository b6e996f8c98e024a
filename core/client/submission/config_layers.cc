// SPDX-License-Identifier: Apache-2.0
#include "core/client/submission/config_layers.h"

#include <filesystem>

namespace muster {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

std::string project_file(const std::string& workdir, const std::string& home) {
  for (fs::path folder = workdir;; folder = folder.parent_path()) {
    if (is_there(folder / "muster.yaml")) return (folder / "muster.yaml").string();
    if (is_there(folder / ".git") || folder == home || folder == folder.parent_path()) return "";
  }
}

std::string user_file(const CallerContext& caller) {
  if (const auto folder = caller.variable("XDG_CONFIG_HOME")) return *folder + "/muster/config.yaml";
  const auto home = caller.variable("HOME");
  return home ? *home + "/.config/muster/config.yaml" : "";
}

}  // namespace

std::vector<ConfigFile> config_files(const CallerContext& caller, const std::string& workdir,
                                     const std::string& system_file) {
  const std::string project = project_file(workdir, caller.variable("HOME").value_or(""));
  std::vector<ConfigFile> files{{"project", project.empty() ? workdir + "/muster.yaml" : project}};
  if (const std::string user = user_file(caller); !user.empty()) files.push_back({"user", user});
  files.push_back({"system", system_file});
  for (ConfigFile& file : files) file.there = is_there(file.path);
  return files;
}

Result<std::vector<ConfigLayer>> read_config_layers(const CallerContext& caller, const std::string& workdir,
                                                    const std::string& system_file) {
  std::vector<ConfigLayer> layers;
  for (const ConfigFile& file : config_files(caller, workdir, system_file)) {
    if (!file.there) continue;
    auto text = read_job_file(file.path);
    if (!text.ok()) return text.status();
    layers.push_back({file.path, std::move(*text)});
  }
  return layers;
}

}  // namespace muster
