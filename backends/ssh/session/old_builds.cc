// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/session/old_builds.h"

#include <algorithm>
#include <filesystem>
#include <vector>

namespace muster::ssh {
namespace {

namespace fs = std::filesystem;
using Time = fs::file_time_type;

constexpr size_t kKept = 3;  // besides the running build
constexpr size_t kHashLength = 32;
constexpr auto kCutOff = std::chrono::hours(24);

bool is_hash(const std::string& name) {
  return name.size() == kHashLength && name.find_first_not_of("0123456789abcdef") == std::string::npos;
}

std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    found.push_back(at->path());
  return found;
}

// The time of the last use: each session that finds the build updates `.used`. If neither file exists, the build is being copied or its
// copy was interrupted.
Time used(const fs::path& build) {
  std::error_code error;
  for (const char* each : {".used", "muster", ""}) {
    const Time time = fs::last_write_time(build / each, error);
    if (!error) return time;
  }
  return Time::clock::now();
}

void remove_cut_off(const fs::path& build) {
  std::error_code error;
  for (const fs::path& file : entries(build)) {
    const bool copy = file.filename().string().starts_with(".new-");
    if (copy && Time::clock::now() - fs::last_write_time(file, error) > kCutOff) fs::remove_all(file, error);
  }
}

}  // namespace

bool is_copy(const std::string& program) {
  const fs::path own = fs::path(program).parent_path();
  return is_hash(own.filename()) && own.parent_path().filename() == "bin";
}

void remove_old_builds(const std::string& program) {
  const fs::path own = fs::path(program).parent_path();
  if (!is_copy(program)) return;
  std::vector<std::pair<Time, fs::path>> others;
  for (const fs::path& build : entries(own.parent_path())) {
    if (!is_hash(build.filename())) continue;
    remove_cut_off(build);
    if (build != own) others.emplace_back(used(build), build);
  }
  std::sort(others.rbegin(), others.rend());
  for (size_t i = kKept; i < others.size(); ++i) {
    std::error_code error;
    // Another session may be copying it now.
    if (Time::clock::now() - others[i].first > kCutOff) fs::remove_all(others[i].second, error);
  }
}

}  // namespace muster::ssh
