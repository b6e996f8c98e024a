// SPDX-License-Identifier: Apache-2.0
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

// Replaces messages of yaml-cpp (exceptions.h) by messages for the author of the file.
constexpr std::array<SyntaxTranslation, 10> kSyntaxTranslations = {{
    {"illegal map value", "a `:` is not allowed here",
     "quote a text that contains `: `; indent all keys of a map equally"},
    {"illegal map key", "a key is not allowed here", "indent all keys of a map equally"},
    {"illegal block entry", "a list entry `-` is not allowed here", "put the list below its key, and indent it"},
    {"end of map not found", "this line does not fit the map above",
     "write `key: value`; indent all keys of a map equally"},
    {"end of map flow not found", "a `{` is not closed by `}`, or a `,` is missing", ""},
    {"end of sequence not found", "this line does not fit the list above",
     "begin entries with `- `; indent all of them equally"},
    {"end of sequence flow not found", "a `[` is not closed by `]`, or a `,` is missing", ""},
    {"illegal EOF in scalar", "a quote is not closed", ""},
    {"the referenced anchor is not defined", "this alias refers to no anchor above it", "an anchor is written `&name`"},
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
