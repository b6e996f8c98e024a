// JobProblems: what is wrong with the values of a job, each problem placed where its value stands. Own: one check.
#pragma once

#include <string>
#include <vector>

#include "core/job/diagnostic.h"

namespace muster {

class JobProblems {
 public:
  // Both outlive it. `origin` stands for the place where no better one is known.
  JobProblems(const std::string& origin, const Places& places) : origin_(origin), places_(places) {}

  // An error at the place of `path`, or of what encloses it. The reference holds until the next.
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
