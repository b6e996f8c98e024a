#include "core/job/document/yaml_syntax.h"

#include <algorithm>
#include <array>

namespace muster {
namespace {

struct SyntaxTranslation {
  std::string_view theirs;
  const char* ours;
  const char* help;
};

// yaml-cpp's words (exceptions.h) in the words of someone who wrote a file.
constexpr std::array<SyntaxTranslation, 10> kSyntaxTranslations = {{
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

}  // namespace

Diagnostic syntax_problem(const SourceRange& where, const std::string& message) {
  Diagnostic problem;
  problem.code = "E1001";
  problem.where = where;
  problem.message = "this is not YAML: " + message;
  const auto known = std::find_if(kSyntaxTranslations.begin(), kSyntaxTranslations.end(),
                                  [&](const SyntaxTranslation& each) { return message.starts_with(each.theirs); });
  if (known == kSyntaxTranslations.end()) return problem;
  problem.message = std::string("this is not YAML: ") + known->ours;
  problem.help = known->help;
  return problem;
}

}  // namespace muster
