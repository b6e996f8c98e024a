// YamlNode: one YAML document as a plain tree in which every value knows its place. The only reader that uses yaml-cpp.
//
// Loading never throws and is bounded: 256 KiB, 32 levels, 64 aliases, 20,000 values after aliases are followed.
// Aliases are copied in, `<<` merges are done, so that a reader sees plain values only. Pure.
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
  bool quoted = false;  // in quotes or a block text: no type is guessed from its looks
  std::string text;     // a scalar's characters as written (quotes and escapes resolved); of a null, what stood there
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

// A document that could be read, or the one reason why not.
struct YamlDocument {
  YamlNode root;
  std::optional<Diagnostic> problem;
};

// `text` is called `file` in places. An empty document is a null root.
YamlDocument load_yaml(std::string_view text, const std::string& file);

}  // namespace muster
