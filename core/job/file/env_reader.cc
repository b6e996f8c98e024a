// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/env_reader.h"

#include "core/base/text.h"

namespace muster {
namespace {

struct Scheme {
  std::string_view start;
  SecretSource::Kind kind;
};

constexpr Scheme kSchemes[] = {
    {"env:", SecretSource::Kind::env},
    {"file:", SecretSource::Kind::file},
    {"cmd:", SecretSource::Kind::cmd},
    {"manifest:", SecretSource::Kind::manifest},  // only job files that are read from manifests have it
};

std::optional<EnvValue> read_variable(ValueReader& reader, const YamlEntry& entry) {
  if (entry.value.kind != YamlNode::Kind::map) {
    auto text = reader.word(entry.value, entry.key);
    if (!text) return std::nullopt;
    return EnvValue{std::move(*text), std::nullopt};
  }
  SecretSource source;
  ReadTarget inner = reader.target();
  inner.secret = &source;
  read_map(inner, reader.key().children, entry.value, reader.path() + "." + entry.key + ".", "`" + entry.key + "`");
  bool has_from = false;
  for (const YamlEntry& each : entry.value.entries) has_from = has_from || each.key == "from";
  if (!has_from) {
    Diagnostic missing =
        reader.problem("E1111", entry.value, "`" + entry.key + "` does not say where its value comes from");
    missing.where = entry.key_where;
    missing.label = "expected a text, or {from: \"env:NAME\"}";
    reader.report(std::move(missing));
  }
  return EnvValue{{}, source};
}

}  // namespace

void read_secret_source(ValueReader& reader, SecretSource& value) {
  const std::string* text = reader.scalar();
  if (text == nullptr) return;
  for (const Scheme& scheme : kSchemes) {
    if (!text->starts_with(scheme.start) || text->size() == scheme.start.size()) continue;
    value.kind = scheme.kind;
    value.where = text->substr(scheme.start.size());
    return;
  }
  Diagnostic wrong =
      reader.problem("E1111", reader.node(), "`from` does not say where the value comes from: `" + *text + "`");
  wrong.label = "expected env:NAME, file:PATH or cmd:PROGRAM ARGS";
  if (text->find(':') == std::string::npos && !text->empty()) wrong.suggestions = {"\"env:" + *text + "\""};
  reader.report(std::move(wrong));
}

void read_env(ValueReader& reader, std::map<std::string, EnvValue>& value) {
  if (reader.node().kind == YamlNode::Kind::null) return;
  if (reader.node().kind != YamlNode::Kind::map) return reader.report_kind();
  report_duplicates(reader.target(), reader.node());
  for (const YamlEntry& entry : reader.node().entries) {
    reader.target().places[reader.path() + "." + entry.key] = entry.key_where;
    if (auto found = read_variable(reader, entry)) value[entry.key] = std::move(*found);
  }
}

void read_labels(ValueReader& reader, std::map<std::string, std::string>& value) {
  if (reader.node().kind == YamlNode::Kind::null) return;
  if (reader.node().kind != YamlNode::Kind::map) return reader.report_kind();
  report_duplicates(reader.target(), reader.node());
  for (const YamlEntry& entry : reader.node().entries) {
    reader.target().places[reader.path() + "." + entry.key] = entry.key_where;
    if (auto found = reader.word(entry.value, entry.key)) value[entry.key] = std::move(*found);
  }
}

}  // namespace muster
