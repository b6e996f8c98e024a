// SPDX-License-Identifier: Apache-2.0
// YamlNode: one YAML document as a tree; each value has its place in the file. The only reader that uses yaml-cpp.
//
// Loading never throws and is limited: 256 KiB, 32 levels, 64 aliases, 20,000 values including those of aliases.
// Aliases and `<<` merges are resolved, so that readers see plain values only. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/job/diagnostic.h"

namespace muster {

struct YamlEntry;

struct YamlNode {
  enum class Kind { null, scalar, sequence, map };
  Kind kind = Kind::null;
  bool quoted = false;  // in quotes or a block text, so it is always a text
  std::string text;     // of a scalar: as written, with quotes and escapes resolved; of a null: its word, such as ~
  SourceRange where;
  std::vector<YamlNode> items;     // of a sequence
  std::vector<YamlEntry> entries;  // of a map, in order; keys may repeat
};

struct YamlEntry {
  std::string key;
  SourceRange key_where;
  YamlNode value;
  bool key_quoted = false;
};

// A document, or the problem because of which it could not be read.
struct YamlDocument {
  YamlNode root;
  std::optional<Diagnostic> problem;
};

// `file` is the name of `text` in places. The root of an empty document is null.
YamlDocument load_yaml(std::string_view text, const std::string& file);

// Several documents, separated by `---`. Documents that are empty are left out. The limits apply to the whole text.
struct YamlDocuments {
  std::vector<YamlNode> roots;
  std::optional<Diagnostic> problem;
};
YamlDocuments load_yaml_documents(std::string_view text, const std::string& file);

}  // namespace muster
