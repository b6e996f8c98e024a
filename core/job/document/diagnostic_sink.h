// SPDX-License-Identifier: Apache-2.0
// DiagnosticSink: collects the problems of a file without duplicates, and at most 200. Make one for each reading.
#pragma once

#include <string>
#include <vector>

#include "core/job/diagnostic.h"

namespace muster {

// Sorts by file, in the order of first mention, then by line and column. The diagnostic that counts the rest (E1012)
// stays last.
void sort_by_place(std::vector<Diagnostic>& diagnostics);

class DiagnosticSink {
 public:
  // A second diagnostic with the same code and place is dropped, because an alias repeats a mistake.
  void add(Diagnostic diagnostic);

  // Whether further diagnostics are only counted, so that they need no hints.
  bool full() const { return kept_.size() == kMost; }

  // The diagnostics, sorted by place. If there were more than 200, one more diagnostic counts the rest.
  std::vector<Diagnostic> take();

 private:
  static constexpr size_t kMost = 200;

  std::vector<Diagnostic> kept_;
  size_t dropped_ = 0;
};

}  // namespace muster
