// SPDX-License-Identifier: Apache-2.0
#include "core/job/document/json_document.h"

#include <nlohmann/json.hpp>

#include "core/job/document/yaml_prescan.h"
#include "core/job/document/yaml_tree.h"

namespace muster {
namespace {

using Json = nlohmann::json;

// Passes nlohmann's SAX events to a YamlTree. Each function returns whether to continue.
class JsonBuilder {
 public:
  JsonBuilder(YamlTree& tree, const std::string& file) : tree_(tree), where_{file, 1, 1, 1} {}

  bool null() { return add(YamlNode::Kind::null, "null", false); }
  bool boolean(bool value) { return add(YamlNode::Kind::scalar, value ? "true" : "false", false); }
  bool number_integer(int64_t value) { return add(YamlNode::Kind::scalar, std::to_string(value), false); }
  bool number_unsigned(uint64_t value) { return add(YamlNode::Kind::scalar, std::to_string(value), false); }
  bool number_float(double, const std::string& text) { return add(YamlNode::Kind::scalar, text, false); }
  bool string(std::string& text) { return add(YamlNode::Kind::scalar, std::move(text), true); }
  bool key(std::string& text) { return add(YamlNode::Kind::scalar, std::move(text), true); }
  bool binary(const Json::binary_t&) { return false; }  // does not occur in JSON text
  bool start_object(size_t) { return open(YamlNode::Kind::map); }
  bool end_object() { return close(); }
  bool start_array(size_t) { return open(YamlNode::Kind::sequence); }
  bool end_array() { return close(); }
  bool parse_error(size_t, const std::string&, const Json::exception& error) {
    const std::string what = error.what();  // "[json.exception.parse_error.101] parse error at line 1, …"
    const size_t name_end = what.find("] ");
    tree_.refuse("E1001", where_,
                 "this is not JSON: " + (name_end == std::string::npos ? what : what.substr(name_end + 2)), "");
    return false;
  }

 private:
  YamlNode make(YamlNode::Kind kind) const {
    YamlNode node;
    node.kind = kind;
    node.where = where_;
    return node;
  }
  bool add(YamlNode::Kind kind, std::string text, bool quoted) {
    YamlNode node = make(kind);
    node.text = std::move(text);
    node.quoted = quoted;
    tree_.scalar(std::move(node), 0);
    return !tree_.problem();
  }
  bool open(YamlNode::Kind kind) {
    tree_.open(make(kind), 0);
    return !tree_.problem();
  }
  bool close() {
    tree_.close();
    return !tree_.problem();
  }

  YamlTree& tree_;
  const SourceRange where_;
};

}  // namespace

YamlDocument load_json(std::string_view text, const std::string& file) {
  if (auto problem = prescan_json(text, file)) return {{}, std::move(problem)};
  YamlTree tree({kMaxJsonValues, kMaxJsonBytes});
  JsonBuilder builder(tree, file);
  if (!Json::sax_parse(text, &builder)) return {{}, tree.problem()};
  return {tree.take_root(), std::nullopt};
}

}  // namespace muster
