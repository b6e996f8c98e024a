// SPDX-License-Identifier: Apache-2.0
// The harness: plays a scenario file through a driver and returns the expected text of the file.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "test/scenario/command.h"

namespace muster::scenario {

// Drives one machine. run() returns the trace of one command, a line each; throws BadCommand.
class Driver {
 public:
  virtual ~Driver() = default;
  virtual std::vector<std::string> run(const Command& command) = 0;
};

// The text of a scenario with the driver's traces. Comments and commands stay unchanged.
std::string play(const std::string& text, Driver& driver);

std::string read_text(const std::filesystem::path& path);
void write_text(const std::filesystem::path& path, const std::string& text);

// The scenario files of a machine, in order of name.
std::vector<std::filesystem::path> scenario_files(const std::string& machine);

}  // namespace muster::scenario
