// SPDX-License-Identifier: Apache-2.0
// Finds the value that a file sets for a dotted key, and its place, for commands that explain where a value comes from.
// Pure.
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

// `path` is a key such as "restarts.limit", "env.NAME" or "groups.trainer.workers". A key of the short form is also
// found in the only group of a file. nullopt if the file does not set the key or cannot be read.
std::optional<WrittenValue> written_value(std::string_view text, const std::string& file, const std::string& path);

// A value in YAML's flow syntax: `[a, b]`, `{a: 1}`.
std::string flow_text(const YamlNode& node);

}  // namespace muster
