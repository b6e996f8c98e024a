// SPDX-License-Identifier: Apache-2.0
#include "test/scenario/scenario.h"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace muster::scenario {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string trace_of(const std::string& line, Driver& driver) {
  std::string trace;
  for (const std::string& said : driver.run(parse_command(line.substr(2)))) trace += "  " + said + "\n";
  return trace;
}

}  // namespace

std::string play(const std::string& text, Driver& driver) {
  std::string played;
  size_t number = 0;
  for (const std::string& line : lines_of(text)) {
    ++number;
    const bool command = line.starts_with("> ");
    if (line.empty() || line[0] == '#' || command) played += line + "\n";
    if (!command) continue;
    try {
      played += trace_of(line, driver);
    } catch (const BadCommand& bad) {
      throw BadCommand("line " + std::to_string(number) + ": " + bad.what());
    }
  }
  return played;
}

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void write_text(const std::filesystem::path& path, const std::string& text) { std::ofstream(path) << text; }

std::vector<std::filesystem::path> scenario_files(const std::string& machine) {
  const std::filesystem::path folder = std::filesystem::path(MUSTER_SOURCE_DIR) / "test/scenario" / machine;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".txt") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace muster::scenario
