// SPDX-License-Identifier: Apache-2.0
// YamlTree: builds a tree of YamlNodes from the events of a parser, within limits. Does not depend on yaml-cpp.
//
// After the first problem, all calls are ignored, and problem() returns that problem.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/job/diagnostic.h"
#include "core/job/document/yaml_document.h"

namespace muster {

class YamlTree {
 public:
  using Anchor = size_t;  // 0: none
  struct Limits {
    size_t values = 20'000;     // including copies for aliases and anchors
    size_t bytes = 4ULL << 20;  // of scalars, counted the same way
  };

  YamlTree() = default;
  explicit YamlTree(const Limits& limits) : limits_(limits) {}

  void scalar(YamlNode node, Anchor anchor);
  void open(YamlNode node, Anchor anchor);  // a sequence or map
  void close();
  void alias(SourceRange where, Anchor anchor);

  // Stops with a problem that the caller found.
  void refuse(const char* code, SourceRange where, std::string message, std::string help);

  const std::optional<Diagnostic>& problem() const { return problem_; }
  // Ends a document: its anchors are forgotten, and the next values make another root.
  YamlNode take_root() {
    anchors_.clear();
    return std::exchange(root_, {});
  }

 private:
  struct Open {
    YamlNode node;
    Anchor anchor = 0;
    std::optional<YamlEntry> pending;  // a key whose value has not come yet
  };
  struct Anchored {
    YamlNode node;
    size_t depth = 0;
  };

  void remember(const YamlNode& node, Anchor anchor);
  void place(YamlNode node);
  void place_in_map(Open& map, YamlNode node);
  void take_key(Open& map, YamlNode node);
  bool charge(const YamlNode& node);

  const Limits limits_{};
  std::vector<Open> open_;
  std::map<Anchor, Anchored> anchors_;
  YamlNode root_;
  std::optional<Diagnostic> problem_;
  size_t aliases_ = 0;
  size_t values_ = 0;
  size_t bytes_ = 0;
};

}  // namespace muster
