// SPDX-License-Identifier: Apache-2.0
// JobProblems: collects the problems of a job's values, each with the place of its value. Make one for each check.
#pragma once

#include <string>
#include <vector>

#include "core/job/diagnostic.h"

namespace muster {

class JobProblems {
 public:
  // Both must outlive this object. `origin` is the place of problems whose value has no known place.
  JobProblems(const std::string& origin, const Places& places) : origin_(origin), places_(places) {}

  // Adds an error at the place of `path`, or of the nearest enclosing key with a known place. The reference is valid
  // until the next call.
  Diagnostic& add(const char* code, const std::string& path, std::string message, std::string help = "");

  bool empty() const { return found_.empty(); }
  std::vector<Diagnostic> take() { return std::move(found_); }

 private:
  SourceRange place(std::string path) const;

  const std::string& origin_;
  const Places& places_;
  std::vector<Diagnostic> found_;
};

}  // namespace muster
