// SPDX-License-Identifier: Apache-2.0
// Runtimes: templates of jobs, in files NAME.yaml in folders of the project, the user and the system. The keys of a job
// override those of its runtime (core/job/file/job_yaml.h). A runtime may use another runtime as its base.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/client/caller_context.h"
#include "core/job/file/job_yaml.h"

namespace muster {

struct RuntimeFolder {
  std::string layer;  // "project", "user", "system"
  std::string path;
};

struct RuntimeFile {
  std::string name;
  std::string layer;
  std::string file;
  std::string description;  // from the file; may be empty
  std::string base;         // the runtime that it is based on; empty: none
  bool shadowed = false;    // a stronger folder has a runtime of this name
};

// The folders, strongest first, whether they exist or not. The project's folder is .muster/runtimes of the first folder
// from `workdir` upwards that has it, up to the root of its git repository or the home folder. Then come the user's and
// the system's folder.
std::vector<RuntimeFolder> runtime_folders(const CallerContext& caller, const std::string& workdir,
                                           const std::string& system_folder = "/etc/muster/runtimes");

// All runtimes, sorted by name, then strongest first. A file that cannot be read has no description and no base.
std::vector<RuntimeFile> find_runtimes(const std::vector<RuntimeFolder>& folders);

// The runtime `name`, its base, the base of that, and so on; or the problems, at the position of `name` or in a runtime
// file. A runtime that names itself refers to the runtime of the same name in the next folder.
struct RuntimeChain {
  std::vector<ConfigLayer> templates;
  std::vector<Diagnostic> problems;
};
RuntimeChain read_runtimes(const PlacedText& name, const std::vector<RuntimeFolder>& folders);

}  // namespace muster
