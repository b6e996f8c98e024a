// yaml-cpp stops here: its events become YamlNodes, its exceptions one Diagnostic.
#include "core/job/document/yaml_document.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "core/job/document/yaml_prescan.h"
#include "core/job/document/yaml_tree.h"

namespace muster {
namespace {

// Leaves yaml-cpp's stack when the tree has refused; caught below.
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

// Length of the quoted text that starts a line, as far as it is on that line.
size_t quoted_length(std::string_view rest) {
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
  return rest.size();
}

// How a null that starts `rest` is written; empty when the value was left out and `rest` is what follows it.
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
  YamlBuilder(YamlTree& tree, std::string_view text, const std::string& file)
      : tree_(tree),
        file_(file),
        lines_(lines_of(text)) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    const bool marked = rest_at(mark).starts_with("---");
    if (++documents_ > 1 && !marked) {
      // After a whole document yaml-cpp takes any text for the next one.
      tree_.refuse("E1001", range(mark, 1), "this is not YAML: this line does not fit what is above it",
                   "begin the lines of one list or map in the same column");
    } else if (documents_ > 1) {
      tree_.refuse("E1007", range(mark, 3), "a second document begins here; a job file holds one",
                   "put each job into a file of its own");
    }
    check();
  }
  void OnDocumentEnd() override {}

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

  // "?" and "!" are how yaml-cpp says "no tag" for plain and for quoted scalars.
  void check_tag(const YAML::Mark& mark, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    const std::string_view rest = rest_at(mark);
    tree_.refuse("E1009", range(mark, rest.substr(0, rest.find_first_of(" \t,[]{}")).size()),
                 "a job file has no YAML tags", "quotes make a text of anything: \"no\", \"010\"");
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
    const bool quoted = rest[0] == '"' || rest[0] == '\'';
    const size_t length = quoted ? quoted_length(rest) : rest.starts_with(value) ? value.size() : 1;
    return static_cast<uint32_t>(std::max<size_t>(length, 1));
  }

  void check() const {
    if (tree_.problem()) throw Refused{};
  }

  YamlTree& tree_;
  const std::string& file_;
  const std::vector<std::string_view> lines_;
  size_t documents_ = 0;
};

struct Translation {
  std::string_view theirs;
  const char* ours;
  const char* help;
};

// yaml-cpp's words (exceptions.h) in the words of someone who wrote a file.
constexpr std::array<Translation, 10> kTranslations = {{
    {"illegal map value", "there is a `:` where no value can stand", "quote a text with `: ` in it; indent evenly"},
    {"illegal map key", "a key cannot stand here", "indent keys of one map evenly"},
    {"illegal block entry", "a list entry `-` cannot stand here", "put a list below its key, indented"},
    {"end of map not found", "this line does not fit the map above", "a line is `key: value`; indent evenly"},
    {"end of map flow not found", "a `{` is not closed by `}`, or a `,` is missing", ""},
    {"end of sequence not found", "this line does not fit the list above", "entries begin with `- `, indented evenly"},
    {"end of sequence flow not found", "a `[` is not closed by `]`, or a `,` is missing", ""},
    {"illegal EOF in scalar", "a quote is not closed", ""},
    {"the referenced anchor is not defined", "this alias names no anchor above it", "an anchor is written `&name`"},
    {"illegal flow end", "a `]` or `}` closes nothing", ""},
}};

Diagnostic problem_of_syntax(const SourceRange& where, const std::string& message) {
  Diagnostic problem;
  problem.code = "E1001";
  problem.where = where;
  problem.message = "this is not YAML: " + message;
  const auto known = std::find_if(kTranslations.begin(), kTranslations.end(),
                                  [&](const Translation& each) { return message.starts_with(each.theirs); });
  if (known == kTranslations.end()) return problem;
  problem.message = std::string("this is not YAML: ") + known->ours;
  problem.help = known->help;
  return problem;
}

Diagnostic from_exception(const YAML::Exception& error, const YamlBuilder& builder, std::string_view text,
                          const std::string& file) {
  const SourceRange where = builder.range(error.mark, 1);
  if (const auto tab = find_tab_indentation(text, file, where.line)) return *tab;
  return problem_of_syntax(where, error.msg);
}

}  // namespace

YamlDocument load_yaml(std::string_view text, const std::string& file) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // the byte order mark of some editors
  if (auto problem = prescan_yaml(text, file)) return {{}, std::move(problem)};
  YamlTree tree;
  YamlBuilder builder(tree, text, file);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) continue;
  } catch (const Refused&) {
    return {{}, tree.problem()};
  } catch (const YAML::Exception& error) {
    return {{}, from_exception(error, builder, text, file)};
  } catch (const std::exception& error) {
    return {{}, problem_of_syntax(SourceRange{file, 1, 1, 1}, error.what())};
  }
  return {tree.take_root(), std::nullopt};
}

}  // namespace muster
