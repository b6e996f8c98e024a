// Runtimes: templates of jobs, kept as files NAME.yaml in folders of the project, the user and the system. A job names one
// and its own keys win (core/job/file/job_yaml.h); a runtime may build on another.
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
  std::string description;  // its own words; may be empty
  std::string base;         // the runtime it builds on; empty: none
  bool shadowed = false;    // a stronger folder has one of this name
};

// Strongest first, whether they are there or not: .muster/runtimes of the first folder from `workdir` upward that has one
// (at most to the root of its git repository or to the home folder), the user's, the system's.
std::vector<RuntimeFolder> runtime_folders(const CallerContext& caller, const std::string& workdir,
                                           const std::string& system_folder = "/etc/muster/runtimes");

// By name, then strongest first. A file that cannot be read is listed without description and base.
std::vector<RuntimeFile> find_runtimes(const std::vector<RuntimeFolder>& folders);

// The templates a job stands on, from the one called `name` to the last that this one builds on; or why they cannot be
// had, as problems at `where` or in a template. A runtime that names itself means the next folder's of that name.
struct RuntimeChain {
  std::vector<ConfigLayer> templates;
  std::vector<Diagnostic> problems;
};
RuntimeChain read_runtimes(const PlacedText& name, const std::vector<RuntimeFolder>& folders);

}  // namespace muster
