// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/job_problems.h"

#include <utility>

namespace muster {

SourceRange JobProblems::place(std::string path) const {
  while (true) {
    const auto found = places_.find(path);
    if (found != places_.end()) return found->second;
    const size_t dot = path.rfind('.');
    if (dot == std::string::npos) return SourceRange{origin_, 0, 0, 1};
    path.resize(dot);
  }
}

Diagnostic& JobProblems::add(const char* code, const std::string& path, std::string message, std::string help) {
  found_.push_back(Diagnostic{Severity::error, code, place(path), std::move(message), {}, std::move(help), {}});
  return found_.back();
}

}  // namespace muster
