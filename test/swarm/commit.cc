// SPDX-License-Identifier: Apache-2.0
#include "test/swarm/commit.h"

#include <fstream>

namespace muster::sim {
namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// Lines "COMMIT REF".
std::string packed(const std::string& path, const std::string& ref) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.ends_with(" " + ref)) return line.substr(0, line.find(' '));
  }
  return "";
}

}  // namespace

std::string commit_of(const std::string& source_folder) {
  const std::string git = source_folder + "/.git/";
  const std::string head = first_line(git + "HEAD");
  const std::string prefix = "ref: ";
  if (!head.starts_with(prefix)) return head.substr(0, 12);
  const std::string ref = head.substr(prefix.size());
  const std::string loose = first_line(git + ref);
  return (loose.empty() ? packed(git + "packed-refs", ref) : loose).substr(0, 12);
}

}  // namespace muster::sim
