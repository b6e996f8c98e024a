// SPDX-License-Identifier: Apache-2.0
// Manual pages (man(7)), generated from the declarations of the commands and from the table of keys, so that they agree with
// --help. Pure.
#pragma once

#include <string>
#include <vector>

#include "launcher/cli/command_line.h"

namespace muster {

struct ManSource {
  std::string version;
  // Group, name and summary of every command, in the order of `muster help`.
  struct Entry {
    std::string group;
    std::string name;
    std::string summary;
  };
  std::vector<Entry> commands;
};

// muster(1).
std::string man_overview(const ManSource& source);

// muster-NAME(1).
std::string man_of_command(const ManSource& source, const std::string& name, const CommandFacts& facts);

// muster-job(5): every key of a job file.
std::string man_of_job_file(const ManSource& source);

}  // namespace muster
