// YamlTree: puts a tree of YamlNodes together from a parser's events, within limits. Knows nothing of yaml-cpp.
//
// The first limit that is passed ends it: every call after that is ignored, `problem()` says why.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/job/diagnostic.h"
#include "core/job/document/yaml_document.h"

namespace muster {

class YamlTree {
 public:
  using Anchor = size_t;  // 0: none

  void scalar(YamlNode node, Anchor anchor);
  void open(YamlNode node, Anchor anchor);  // a sequence or map
  void close();
  void alias(SourceRange where, Anchor anchor);

  // Ends the building from outside.
  void refuse(const char* code, SourceRange where, std::string message, std::string help);

  const std::optional<Diagnostic>& problem() const { return problem_; }
  YamlNode take_root() { return std::move(root_); }

 private:
  struct Open {
    YamlNode node;
    Anchor anchor = 0;
    std::optional<YamlEntry> pending;  // a key that waits for its value
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

  std::vector<Open> open_;
  std::map<Anchor, Anchored> anchors_;
  YamlNode root_;
  std::optional<Diagnostic> problem_;
  size_t aliases_ = 0;
  size_t values_ = 0;
  size_t bytes_ = 0;
};

}  // namespace muster
