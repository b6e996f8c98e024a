// SPDX-License-Identifier: Apache-2.0
// The only code that uses yaml-cpp: turns its events into YamlNodes and its exceptions into one Diagnostic.
#include "core/job/document/yaml_document.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>

#include "core/job/document/yaml_prescan.h"
#include "core/job/document/yaml_syntax.h"
#include "core/job/document/yaml_tree.h"

namespace muster {
namespace {

// Thrown to leave yaml-cpp when the tree has refused the document; caught below.
struct Refused {};

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (true) {
    const size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

// Length of the quoted text at the start of `rest`; nullopt: the quote is not closed in it.
std::optional<size_t> quoted_length(std::string_view rest) {
  const char quote = rest[0];
  for (size_t at = 1; at < rest.size(); ++at) {
    if (quote == '"' && rest[at] == '\\') {
      ++at;
    } else if (rest[at] == quote) {
      const bool doubled = quote == '\'' && at + 1 < rest.size() && rest[at + 1] == quote;
      if (!doubled) return at + 1;
      ++at;
    }
  }
  return std::nullopt;
}

bool is_quoted(std::string_view rest) { return rest.starts_with('"') || rest.starts_with('\''); }

// The word for null at the start of `rest`; empty if the value was left out and `rest` is the text after it.
std::string null_word(std::string_view rest) {
  for (const std::string_view word : {"~", "null", "Null", "NULL"}) {
    if (!rest.starts_with(word)) continue;
    const std::string_view after = rest.substr(word.size());
    const size_t next = after.find_first_not_of(" \t\r");
    const bool ends = after.empty() || next != 0 || std::string_view(",]}:").find(after[0]) != std::string_view::npos;
    const bool is_key = next != std::string_view::npos && after[next] == ':';
    if (ends && !is_key) return std::string(word);
  }
  return "";
}

class YamlBuilder final : public YAML::EventHandler {
 public:
  // `roots`: receives the root of each document; null: there may be one document only, which stays in the tree.
  YamlBuilder(YamlTree& tree, std::string_view text, const std::string& file, std::vector<YamlNode>* roots)
      : tree_(tree),
        file_(file),
        text_(text),
        lines_(lines_of(text)),
        roots_(roots) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    const bool marked = rest_at(mark).starts_with("---");
    if (++documents_ > 1 && !marked) {
      // After a complete document, yaml-cpp treats any further text as the next document.
      tree_.refuse("E1001", range(mark, 1), "this is not YAML: this line does not fit the lines above it",
                   "indent all lines of a list or map equally");
    } else if (documents_ > 1 && roots_ == nullptr) {
      tree_.refuse("E1007", range(mark, 3), "a second document begins here; a job file contains one",
                   "put each job into a file of its own");
    }
    check();
  }
  void OnDocumentEnd() override {
    if (roots_ == nullptr) return;
    YamlNode root = tree_.take_root();
    if (root.kind != YamlNode::Kind::null) roots_->push_back(std::move(root));
  }

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    YamlNode node = make(YamlNode::Kind::null, mark);
    node.text = null_word(rest_at(mark));
    node.where.length = std::max<uint32_t>(1, static_cast<uint32_t>(node.text.size()));
    tree_.scalar(std::move(node), anchor);
    check();
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    tree_.alias(range(mark, 1), anchor);
    check();
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check_tag(mark, tag);
    check_quote(mark);
    YamlNode node = make(YamlNode::Kind::scalar, mark);
    node.quoted = tag == "!";
    node.text = value;
    node.where.length = scalar_length(mark, value);
    tree_.scalar(std::move(node), anchor);
    check();
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(YamlNode::Kind::sequence, mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(YamlNode::Kind::map, mark, tag, anchor);
  }
  void OnMapEnd() override { close(); }

  SourceRange range(const YAML::Mark& mark, size_t length) const {
    return {file_, static_cast<uint32_t>(std::max(mark.line, 0) + 1),
            static_cast<uint32_t>(std::max(mark.column, 0) + 1), static_cast<uint32_t>(std::max<size_t>(length, 1))};
  }

 private:
  void open(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    check_tag(mark, tag);
    tree_.open(make(kind, mark), anchor);
    check();
  }

  void close() {
    tree_.close();
    check();
  }

  YamlNode make(YamlNode::Kind kind, const YAML::Mark& mark) const {
    YamlNode node;
    node.kind = kind;
    node.where = range(mark, 1);
    return node;
  }

  // yaml-cpp uses "?" and "!" for plain and quoted scalars without a tag.
  void check_tag(const YAML::Mark& mark, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    const std::string_view rest = rest_at(mark);
    tree_.refuse("E1009", range(mark, rest.substr(0, rest.find_first_of(" \t,[]{}")).size()),
                 "a job file cannot have YAML tags", "to make a value a text, quote it: \"no\", \"010\"");
    check();
  }

  // yaml-cpp accepts a quote that is open at the end of the file.
  void check_quote(const YAML::Mark& mark) {
    std::string_view rest = rest_at(mark);
    if (rest.starts_with('&')) rest.remove_prefix(std::min(rest.find_first_of("\"'"), rest.size()));
    if (!is_quoted(rest) || quoted_length(text_.substr(static_cast<size_t>(rest.data() - text_.data())))) return;
    tree_.refuse("E1001", range(mark, 1), "this is not YAML: a quote is not closed", "");
    check();
  }

  std::string_view rest_at(const YAML::Mark& mark) const {
    if (mark.line < 0 || static_cast<size_t>(mark.line) >= lines_.size()) return {};
    const std::string_view line = lines_[static_cast<size_t>(mark.line)];
    return line.substr(std::min(line.size(), static_cast<size_t>(std::max(mark.column, 0))));
  }

  uint32_t scalar_length(const YAML::Mark& mark, const std::string& value) const {
    const std::string_view rest = rest_at(mark);
    if (rest.empty()) return 1;
    const size_t length = is_quoted(rest)           ? quoted_length(rest).value_or(rest.size())
                          : rest.starts_with(value) ? value.size()
                                                    : 1;
    return static_cast<uint32_t>(std::max<size_t>(length, 1));
  }

  void check() const {
    if (tree_.problem()) throw Refused{};
  }

  YamlTree& tree_;
  const std::string& file_;
  const std::string_view text_;
  const std::vector<std::string_view> lines_;
  std::vector<YamlNode>* const roots_;
  size_t documents_ = 0;
};

Diagnostic from_exception(const YAML::Exception& error, const YamlBuilder& builder, std::string_view text,
                          const std::string& file) {
  const SourceRange where = builder.range(error.mark, 1);
  if (const auto tab = find_tab_indentation(text, file, where.line)) return *tab;
  return syntax_problem(where, error.msg);
}

// Parses the text into the tree, or into `roots` (YamlBuilder).
std::optional<Diagnostic> parse(std::string_view text, const std::string& file, YamlTree& tree,
                                std::vector<YamlNode>* roots) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // the byte order mark of some editors
  if (auto problem = prescan_yaml(text, file)) return problem;
  YamlBuilder builder(tree, text, file, roots);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) continue;
  } catch (const Refused&) {
    return tree.problem();
  } catch (const YAML::Exception& error) {
    return from_exception(error, builder, text, file);
  } catch (const std::exception& error) {
    return syntax_problem(SourceRange{file, 1, 1, 1}, error.what());
  }
  return std::nullopt;
}

}  // namespace

YamlDocument load_yaml(std::string_view text, const std::string& file) {
  YamlTree tree;
  if (auto problem = parse(text, file, tree, nullptr)) return {{}, std::move(problem)};
  return {tree.take_root(), std::nullopt};
}

YamlDocuments load_yaml_documents(std::string_view text, const std::string& file) {
  YamlTree tree;
  YamlDocuments documents;
  documents.problem = parse(text, file, tree, &documents.roots);
  if (documents.problem) documents.roots.clear();
  return documents;
}

}  // namespace muster
