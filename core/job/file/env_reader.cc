// Environment, labels and references to secrets.
#include "core/base/text.h"
#include "core/job/file/value_reader.h"

namespace muster {
namespace {

struct Scheme {
  std::string_view start;
  SecretSource::Kind kind;
};

constexpr Scheme kSchemes[] = {
    {"env:", SecretSource::Kind::env}, {"file:", SecretSource::Kind::file}, {"cmd:", SecretSource::Kind::cmd}};

}  // namespace

void ValueReader::secret_source(SecretSource& value) {
  const std::string* text = scalar();
  if (text == nullptr) return;
  for (const Scheme& scheme : kSchemes) {
    if (!text->starts_with(scheme.start) || text->size() == scheme.start.size()) continue;
    value.kind = scheme.kind;
    value.where = text->substr(scheme.start.size());
    return;
  }
  Diagnostic wrong = problem("E1111", node_, "`from` does not say where the value is: `" + *text + "`");
  wrong.label = "env:NAME, file:PATH or cmd:PROGRAM ARGS";
  if (text->find(':') == std::string::npos && !text->empty()) wrong.suggestions = {"\"env:" + *text + "\""};
  report(std::move(wrong));
}

std::optional<EnvValue> ValueReader::variable(const YamlEntry& entry) {
  if (entry.value.kind != YamlNode::Kind::map) {
    auto text = word(entry.value, entry.key);
    if (!text) return std::nullopt;
    return EnvValue{std::move(*text), std::nullopt};
  }
  SecretSource source;
  ReadTarget inner = target_;
  inner.secret = &source;
  read_map(inner, key_.children, entry.value, path_ + "." + entry.key + ".", "`" + entry.key + "`");
  bool has_from = false;
  for (const YamlEntry& each : entry.value.entries) has_from = has_from || each.key == "from";
  if (!has_from) {
    Diagnostic missing = problem("E1111", entry.value, "`" + entry.key + "` does not say where its value is");
    missing.where = entry.key_where;
    missing.label = "wants a text, or {from: \"env:NAME\"}";
    report(std::move(missing));
  }
  return EnvValue{{}, source};
}

void ValueReader::env(std::map<std::string, EnvValue>& value) {
  if (node_.kind == YamlNode::Kind::null) return;
  if (node_.kind != YamlNode::Kind::map) return report_kind(node_, std::string(key_.name), wanted(key_));
  report_duplicates(target_, node_);
  for (const YamlEntry& entry : node_.entries) {
    target_.places[path_ + "." + entry.key] = entry.key_where;
    if (auto found = variable(entry)) value[entry.key] = std::move(*found);
  }
}

void ValueReader::labels(std::map<std::string, std::string>& value) {
  if (node_.kind == YamlNode::Kind::null) return;
  if (node_.kind != YamlNode::Kind::map) return report_kind(node_, std::string(key_.name), wanted(key_));
  report_duplicates(target_, node_);
  for (const YamlEntry& entry : node_.entries) {
    target_.places[path_ + "." + entry.key] = entry.key_where;
    if (auto found = word(entry.value, entry.key)) value[entry.key] = std::move(*found);
  }
}

}  // namespace muster
