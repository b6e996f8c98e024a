// What a file itself says at a dotted key, and where: for commands that explain where a value comes from. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/job/diagnostic.h"
#include "core/job/document/yaml_document.h"

namespace muster {

struct WrittenValue {
  std::string text;  // in YAML's flow syntax
  SourceRange where;
  bool is_map = false;
};

// `path` is a key such as "restarts.limit", "env.NAME" or "groups.trainer.workers"; the keys of the short form are found
// in a file's only group too. Nothing where the file is silent or cannot be read.
std::optional<WrittenValue> written_value(std::string_view text, const std::string& file, const std::string& path);

// A value in YAML's flow syntax: `[a, b]`, `{a: 1}`.
std::string flow_text(const YamlNode& node);

}  // namespace muster
