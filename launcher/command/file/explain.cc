// SPDX-License-Identifier: Apache-2.0
// muster explain: what an error code means and how to fix the error.
#include "core/job/errors/explain.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "core/client/preflight/preflight_codes.h"
#include "core/client/view/document.h"
#include "launcher/cli/command.h"
#include "launcher/cli/output_format.h"

namespace muster {
namespace {

using Json = nlohmann::ordered_json;

std::optional<Explanation> find_explanation(const std::string& code) {
  auto found = explain(code);
  return found ? found : explain_preflight(code);
}

std::vector<std::string> all_codes() {
  std::vector<std::string> codes = explained_codes();
  for (const std::string& code : preflight_codes()) codes.push_back(code);
  std::sort(codes.begin(), codes.end());
  codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
  return codes;
}

// "e1204" and "1204" are E1204.
std::string code_of(std::string word) {
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  const bool digits = !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
  return digits ? "E" + word : word;
}

int list(CommandContext& context, const std::string& format) {
  Json codes = Json::array();
  for (const std::string& code : all_codes()) {
    const std::string title = find_explanation(code)->title;
    codes.push_back({{"code", code}, {"title", title}});
    if (!is_document(format)) context.screen.out(format == "name" ? code + "\n" : code + "  " + title + "\n");
  }
  if (is_document(format)) print_document(context.screen, format, document_of("codes", Json{{"codes", codes}}));
  return exit_ok;
}

int show(CommandContext& context, const Explanation& found, const std::string& format) {
  if (is_document(format)) {
    const Json code{{"code", found.code}, {"title", found.title}, {"text", found.text}};
    print_document(context.screen, format, document_of("code", code));
  } else if (format == "name") {
    context.screen.out(found.code + "\n");
  } else {
    context.screen.out(paint(context.out_style(), Colour::bold, found.code + "  " + found.title) + "\n\n" +
                       wrapped(found.text, 80) + "\n");
  }
  return exit_ok;
}

}  // namespace

int explain_main(CommandContext& context, const std::vector<std::string>& arguments) {
  std::vector<std::string> words;
  std::string format = "text";
  CommandLine line("explain [CODE] [flags]", "Explains an error code; without a code, it lists all of them.",
                   "muster explain E1204");
  line.words("a code", 0, 1, words);
  declare_format(line, format);
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  if (words.empty()) return list(context, format);
  const auto found = find_explanation(code_of(words.front()));
  if (!found)
    return fail(context,
                {Code::not_found, "there is no error code `" + words.front() + "`; muster explain lists all codes"});
  return show(context, *found, format);
}

}  // namespace muster
