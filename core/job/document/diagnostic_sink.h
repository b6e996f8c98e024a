// DiagnosticSink: collects what is wrong with a file, each thing once, and no more than a person reads. Own: one
// reading.
#pragma once

#include <string>
#include <vector>

#include "core/job/diagnostic.h"

namespace muster {

// In the order of files as they are first named, then of lines and columns; what counts the rest (E1012) stays
// last.
void sort_by_place(std::vector<Diagnostic>& diagnostics);

class DiagnosticSink {
 public:
  // A second diagnostic with the same code and place is dropped: aliases bring one mistake in several times.
  void add(Diagnostic diagnostic);

  // More would only be counted, so they need no hints.
  bool full() const { return kept_.size() == kMost; }

  // What was collected, sorted by place; beyond 200 one more that counts the rest.
  std::vector<Diagnostic> take();

 private:
  static constexpr size_t kMost = 200;

  std::vector<Diagnostic> kept_;
  size_t dropped_ = 0;
};

}  // namespace muster
