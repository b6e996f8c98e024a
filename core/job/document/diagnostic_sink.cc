// SPDX-License-Identifier: Apache-2.0
#include "core/job/document/diagnostic_sink.h"

#include <algorithm>
#include <tuple>

#include "core/base/text.h"

namespace muster {
namespace {

std::vector<std::string> files_of(const std::vector<Diagnostic>& diagnostics) {
  std::vector<std::string> files;
  for (const Diagnostic& each : diagnostics) {
    if (std::find(files.begin(), files.end(), each.where.file) == files.end()) files.push_back(each.where.file);
  }
  return files;
}

}  // namespace

void sort_by_place(std::vector<Diagnostic>& diagnostics) {
  const std::vector<std::string> files = files_of(diagnostics);
  const auto place = [&](const Diagnostic& each) {
    return std::tuple(each.untold > 0, std::find(files.begin(), files.end(), each.where.file), each.where.line,
                      each.where.column);
  };
  std::stable_sort(diagnostics.begin(), diagnostics.end(),
                   [&](const Diagnostic& a, const Diagnostic& b) { return place(a) < place(b); });
}

void DiagnosticSink::add(Diagnostic diagnostic) {
  const bool seen = std::any_of(kept_.begin(), kept_.end(), [&](const Diagnostic& each) {
    return each.code == diagnostic.code && each.where == diagnostic.where && each.where.line > 0;
  });
  if (seen) return;
  if (full()) {
    ++dropped_;
  } else {
    kept_.push_back(std::move(diagnostic));
  }
}

std::vector<Diagnostic> DiagnosticSink::take() {
  sort_by_place(kept_);
  if (dropped_ > 0) {
    Diagnostic rest;
    rest.code = "E1012";
    rest.where.file = kept_.back().where.file;
    rest.message = count_of(dropped_, "more problem") + " not shown";
    rest.untold = dropped_;
    kept_.push_back(std::move(rest));
  }
  dropped_ = 0;
  return std::move(kept_);
}

}  // namespace muster
