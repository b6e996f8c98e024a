// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/kubeflow/reading.h"

#include <algorithm>

#include "core/job/file/kubeflow/tree/node_tools.h"

namespace muster {
namespace {

constexpr size_t kMostNotes = 50;
constexpr size_t kMostBytes = 4 << 20;

}  // namespace

const YamlNode* Reading::document(std::string_view kind, std::string_view name, size_t before) const {
  for (const YamlNode& each : documents_) {
    const bool is_it = text_of(child(&each, "kind")) == kind && text_of(find(&each, {"metadata", "name"})) == name;
    if (is_it && before-- == 0) return &each;
  }
  return nullptr;
}

void Reading::error(const char* code, const SourceRange& where, std::string message, std::string help,
                    std::string meant) {
  Diagnostic problem{Severity::error, code, where, std::move(message), {}, std::move(help), {}};
  suggest(problem, meant);
  sink_.add(std::move(problem));
}

bool Reading::is_full() const { return bytes_ > kMostBytes; }

bool Reading::take_bytes(size_t count, const SourceRange& where) {
  const bool before = !is_full();
  bytes_ += std::min(count, kMostBytes + 1);
  if (!is_full()) return true;
  if (before)
    error("E1802", where, "the commands and variables of this job have more than 4 MiB after they are filled in",
          "put large texts into files that the program reads");
  return false;
}

void Reading::note(const SourceRange& where, const std::string& sentence) {
  if (notes_.size() == kMostNotes || !said_.insert(sentence).second) return;
  notes_.push_back((where.line == 0 ? where.file : where.file + ":" + std::to_string(where.line)) + ": " + sentence);
}

bool Reading::keep_secret(const std::string& variable, const std::string& value) {
  return secrets_.emplace(variable, value).first->second == value;
}

}  // namespace muster
