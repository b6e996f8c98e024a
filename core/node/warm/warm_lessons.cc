// SPDX-License-Identifier: Apache-2.0
#include "core/node/warm/warm_lessons.h"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/base/private_file.h"
#include "core/base/text.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostLines = 20'000;
constexpr size_t kMostFiles = 400;
constexpr std::chrono::hours kRefusal(24);

std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; lines.size() < kMostLines && std::getline(file, line);) {
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

// "=PATH\tNANOSECONDS\tBYTES".
bool unchanged(const std::string& line) {
  std::istringstream fields(line.substr(1));
  std::string path, time, size;
  struct stat now {};
  if (!std::getline(fields, path, '\t') || !std::getline(fields, time, '\t') || !std::getline(fields, size))
    return false;
  if (stat(path.c_str(), &now) != 0) return false;
  const int64_t nanos = int64_t{now.st_mtim.tv_sec} * 1'000'000'000 + now.st_mtim.tv_nsec;
  return time == std::to_string(nanos) && size == std::to_string(now.st_size);
}

bool any_of_them(const std::vector<std::string>& words, const std::set<std::string>& names) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) { return names.count(word) > 0; });
}

// Limits the number of files; the most recently used ones are kept.
void keep_newest(const std::string& folder) {
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    files.emplace_back(entry.last_write_time(error), entry.path());
  }
  if (files.size() <= kMostFiles) return;
  std::sort(files.begin(), files.end());
  files.resize(files.size() - kMostFiles / 2);
  for (const auto& [time, path] : files) fs::remove(path, error);
}

}  // namespace

WarmLessons::WarmLessons(std::string folder, const WarmPlan& plan)
    : folder_(std::move(folder)),
      path_(folder_ + "/" + plan.key() + ".imports"),
      avoided_path_(folder_ + "/" + plan.interpreter_key() + ".avoided"),
      refused_path_(folder_ + "/" + plan.key() + ".refused") {
  std::error_code error;
  fs::create_directories(folder_, error);
  chmod(folder_.c_str(), 0700);
  keep_newest(folder_);
}

bool WarmLessons::valid() const {
  const std::vector<std::string> lines = lines_of(path_);
  return std::all_of(lines.begin(), lines.end(),
                     [](const std::string& line) { return line[0] != '=' || unchanged(line); });
}

std::vector<std::string> WarmLessons::imports() {
  if (!valid()) {
    std::error_code error;
    fs::remove(path_, error);
  }
  std::vector<std::string> names;
  const std::set<std::string> away = avoided();
  std::set<std::string> passed = away;
  for (const std::string& line : lines_of(path_)) {
    const std::vector<std::string> words = split(line, '\t');
    if (line[0] == '-') {
      std::erase(names, line.substr(1));
      passed.insert(line.substr(1));
    } else if (line[0] != '=' && !any_of_them(words, away) && passed.insert(words[0]).second) {
      names.push_back(words[0]);
    }
  }
  return names;
}

std::set<std::string> WarmLessons::avoided() const {
  const std::vector<std::string> lines = lines_of(avoided_path_);
  std::set<std::string> names(lines.begin(), lines.end());
  names.insert(avoided_now_.begin(), avoided_now_.end());
  return names;
}

bool WarmLessons::avoid(const std::vector<std::string>& modules) {
  const std::set<std::string> known = avoided();
  make_private_file(avoided_path_);
  std::ofstream file(avoided_path_, std::ios::app);
  bool added = false;
  for (const std::string& name : modules) {
    if (known.count(name) > 0) continue;
    added = true;
    avoided_now_.insert(name);
    file << name << '\n';
  }
  return added;
}

bool WarmLessons::refused() const {
  std::error_code error;
  const fs::file_time_type when = fs::last_write_time(refused_path_, error);
  return !error && fs::file_time_type::clock::now() - when < kRefusal;
}

void WarmLessons::refuse(const std::string& why) {
  make_private_file(refused_path_);
  std::ofstream(refused_path_, std::ios::trunc) << why << '\n';
}

}  // namespace muster
