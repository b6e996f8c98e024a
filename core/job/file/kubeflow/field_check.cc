// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/kubeflow/field_check.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "core/base/text.h"
#include "core/job/file/kubeflow/fields/kind_fields.h"
#include "core/job/file/kubeflow/tree/kubernetes_values.h"
#include "core/job/file/kubeflow/tree/node_tools.h"

namespace muster {
namespace {

using Kind = YamlNode::Kind;

bool is_number(const YamlNode& node) {
  return !node.quoted && !node.text.empty() &&
         std::all_of(node.text.begin() + (node.text[0] == '-' ? 1 : 0), node.text.end(),
                     [](char c) { return c >= '0' && c <= '9'; });
}

// Whether YAML 1.1 reads the text as a number: 8, -1.5, 1e3, .5, 0x1f, 0o17. Not a date.
bool is_decimal(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const auto has_only = [&](std::string_view digits) {
    return text.size() > 2 && text.find_first_not_of(digits, 2) == std::string_view::npos;
  };
  if (text.starts_with("0b")) return has_only("01");
  if (text.starts_with("0o")) return has_only("01234567");
  if (text.starts_with("0x")) return text.size() <= 18 && has_only("0123456789abcdefABCDEF");  // of 64 bits
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool begins = !text.empty() && (text[0] == '.' || (text[0] >= '0' && text[0] <= '9'));
  return begins && error != std::errc::invalid_argument && end == text.data() + text.size();
}

// Whether the API server reads the value as a text: it is quoted, or neither a number nor a truth value.
bool is_text_value(const YamlNode& node) {
  return node.kind == Kind::scalar && (node.quoted || (!is_truth(node) && !is_decimal(node.text)));
}

std::string_view kind_name(const YamlNode& node) {
  switch (node.kind) {
    case Kind::null: return "nothing";
    case Kind::sequence: return "a list";
    case Kind::map: return "a map";
    case Kind::scalar: break;
  }
  if (is_truth(node)) return "true or false";
  return node.quoted || !is_decimal(node.text) ? "a text" : "a number";
}

std::string_view wanted(FieldType type) {
  switch (type) {
    case FieldType::text: return "a text";
    case FieldType::integer: return "a whole number";
    case FieldType::truth: return "true or false";
    case FieldType::quantity: return "a quantity such as 4Gi";
    case FieldType::map: return "a map";
    case FieldType::list: return "a list of maps";
    case FieldType::texts: return "a list of texts";
    case FieldType::text_map: return "a map of texts";
    case FieldType::any: break;
  }
  return "a value";
}

// The place of the first part of the value that is wrong; null: all is right.
const YamlNode* wrong_part(FieldType type, const YamlNode& node, bool quantities) {
  const auto wrong_text = [&](const YamlNode& each) {
    return quantities ? each.kind != Kind::scalar : !is_text_value(each);
  };
  switch (type) {
    case FieldType::text: return is_text_value(node) ? nullptr : &node;
    case FieldType::integer: return node.kind == Kind::scalar && is_number(node) ? nullptr : &node;
    case FieldType::truth: return is_truth(node) ? nullptr : &node;
    case FieldType::quantity: return node.kind == Kind::scalar ? nullptr : &node;
    case FieldType::map: return node.kind == Kind::map ? nullptr : &node;
    case FieldType::list:
    case FieldType::texts:
      if (node.kind != Kind::sequence) return &node;
      for (const YamlNode& item : node.items) {
        if (type == FieldType::list ? item.kind != Kind::map : wrong_text(item)) return &item;
      }
      return nullptr;
    case FieldType::text_map:
      if (node.kind != Kind::map) return &node;
      for (const YamlEntry& entry : node.entries) {
        if (wrong_text(entry.value)) return &entry.value;
      }
      return nullptr;
    case FieldType::any: break;
  }
  return nullptr;
}

// "spec.nodeSelector": notes name the last two parts, because the line says the rest.
std::string short_name(const std::string& name) {
  const size_t last = name.rfind('.');
  const size_t before = last == std::string::npos ? last : name.rfind('.', last - 1);
  return before == std::string::npos ? name : name.substr(before + 1);
}

void report_unknown(Reading& reading, ManifestFields fields, const YamlEntry& entry, const std::string& path) {
  std::vector<std::string> names;
  for (const ManifestField& field : fields) names.emplace_back(field.name);
  std::string parent = path.empty() ? "a manifest" : "`" + path.substr(0, path.size() - 1) + "`";
  reading.error("E1801", entry.key_where, parent + " has no field `" + escaped(entry.key) + "`",
                "Kubernetes would reject it too; its fields: " + short_list(names, 12),
                nearest(entry.key, names).value_or(""));
}

// ": [torchrun, t.py]"; empty for a text whose words could be others.
std::string as_list(const std::string& text) {
  const bool plain = text.size() <= 80 && text.find_first_of("\"'`$\\,[]{}#:\n") == std::string::npos &&
                     text.find("  ") == std::string::npos;
  return plain ? ": [" + join(split(escaped(text), ' '), ", ") + "]" : "";
}

// Volumes of ranks in an image are read as its mounts (read_mounts).
bool is_read_as_mount(const Reading& reading, const std::string& name) {
  const bool of_volume =
      name.find(".volumes.") != std::string::npos || name.find(".volumeMounts.") != std::string::npos;
  return of_volume && !reading.in_cluster() && !reading.place().in_image.empty();
}

// A value of a ConfigMap or Secret. One without a value (null) is empty, as in Kubernetes.
void check_value(Reading& reading, const YamlEntry& entry, const std::string& part, bool encoded) {
  const YamlNode& value = entry.value;
  if (value.kind == Kind::null) return;
  const std::string name = "`" + part + "." + escaped(entry.key) + "`";
  if (!is_text_value(value)) {
    const bool one = value.kind == Kind::scalar;
    reading.error("E1802", value.where, name + " must be a text, and this is " + std::string(kind_name(value)),
                  one ? "put it in quotes, as Kubernetes wants it too" : "Kubernetes would reject it too",
                  one ? "\"" + value.text + "\"" : "");
  } else if (encoded && !from_base64(value.text)) {
    reading.error("E1802", value.where, name + " must be base64, and this is not",
                  part == "data" ? "use `stringData` for plain text" : "use `data` for plain text");
  }
}

void check_entry(Reading& reading, const ManifestField& field, const YamlEntry& entry, const std::string& path) {
  if (entry.value.kind == Kind::null) return;  // as Kubernetes: the field is not set
  const std::string name = path + entry.key;
  // Numbers of CPUs and GPUs need no quotes.
  const bool quantities = field.name == "limits" || field.name == "requests";
  if (const YamlNode* wrong = wrong_part(field.type, entry.value, quantities)) {
    const bool of_list = wrong != &entry.value && field.type == FieldType::list;
    const std::string_view wants = of_list ? "a list of maps" : wanted(field.type);
    const bool unquoted = wrong->kind == Kind::scalar && !wrong->quoted;
    if (field.type == FieldType::texts && wrong == &entry.value && wrong->kind == Kind::scalar)
      return reading.error("E1802", wrong->where, "`" + name + "` must be a list of texts, and this is one text",
                           "write a list of words" + as_list(wrong->text));
    const bool text =
        field.type == FieldType::text || field.type == FieldType::texts || field.type == FieldType::text_map;
    reading.error("E1802", wrong->where,
                  "`" + name + "` must be " + std::string(wants) + ", and this is " + std::string(kind_name(*wrong)),
                  text && unquoted ? "put it in quotes, as Kubernetes wants it too" : "Kubernetes would reject it too",
                  text && unquoted ? "\"" + wrong->text + "\"" : "");
    return;
  }
  const FieldFate fate = field.fate(reading.target());
  const std::string where = reading.in_cluster() ? "" : " here";
  const std::string reason = field.on_cluster == FieldFate::used ? "; in a cluster it becomes " : ": ";
  if (fate == FieldFate::refused && !is_empty(entry.value)) {
    reading.error("E1803", entry.key_where, "muster does not support `" + name + "`" + where, std::string(field.note));
  } else if (fate == FieldFate::ignored && !is_empty(entry.value) && !is_read_as_mount(reading, name)) {
    reading.note(entry.key_where,
                 "`" + short_name(name) + "` has no effect" + where + reason + std::string(field.note));
  }
  if (fate == FieldFate::refused || field.children.empty()) return;
  if (fate == FieldFate::ignored) return;
  if (entry.value.kind == Kind::map) check_fields(reading, field.children, entry.value, name + ".");
  for (const YamlNode& item : entry.value.items) check_fields(reading, field.children, item, name + ".");
}

}  // namespace

void check_fields(Reading& reading, ManifestFields fields, const YamlNode& map, const std::string& path) {
  std::set<std::string_view> seen;
  for (const YamlEntry& entry : map.entries) {
    if (!seen.insert(entry.key).second)
      reading.error("E1802", entry.key_where, "`" + path + escaped(entry.key) + "` is there twice",
                    "remove one of them");
    if (const ManifestField* field = find_field(fields, entry.key)) {
      check_entry(reading, *field, entry, path);
    } else {
      report_unknown(reading, fields, entry, path);
    }
  }
}

void check_values_object(Reading& reading, const YamlNode& document) {
  const std::string kind = text_of(child(&document, "kind"));
  const bool secret = kind == "Secret";
  if (text_of(child(&document, "apiVersion")) != "v1" || (!secret && kind != "ConfigMap")) return;
  check_fields(reading, secret ? secret_fields() : config_map_fields(), document);
  for (const char* part : {"data", "binaryData", "stringData"}) {
    const YamlNode* values = child(&document, part);
    if (values == nullptr || values->kind != Kind::map) continue;
    const bool encoded = std::string_view(part) == (secret ? "data" : "binaryData");
    for (const YamlEntry& entry : values->entries) check_value(reading, entry, part, encoded);
  }
}

}  // namespace muster
