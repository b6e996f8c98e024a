// SPDX-License-Identifier: Apache-2.0
// muster frameworks: the environment variables that ranks get from each framework.
#include "core/base/text.h"
#include "launcher/cli/command.h"
#include "launcher/cli/output_format.h"
#include "launcher/view/frameworks_view.h"

namespace muster {
namespace {

std::vector<std::string> names() {
  std::vector<std::string> list;
  for (const Framework each : all_frameworks()) list.emplace_back(to_string(each));
  return list;
}

const FrameworkInfo* find(const std::string& name) {
  for (const Framework each : all_frameworks()) {
    if (to_string(each) == name) return &framework_info(each);
  }
  return nullptr;
}

int unknown(CommandContext& context, const std::string& name) {
  const auto near = nearest(name, names());
  const std::string hint = near ? "; did you mean `" + *near + "`?" : "; there are " + join(names(), ", ");
  return fail(context, {Code::not_found, "there is no framework `" + escaped(name) + "`" + hint});
}

}  // namespace

int frameworks_main(CommandContext& context, const std::vector<std::string>& arguments) {
  std::string format = "text";
  std::vector<std::string> words;
  CommandLine line("frameworks [NAME]", "Lists frameworks, or the variables that one sets for the ranks (processes).",
                   "muster frameworks torch");
  line.words("a framework", 0, 1, words);
  declare_format(line, format);
  if (const auto done = parse_or_exit(context, line, arguments)) return *done;
  const FrameworkInfo* info = words.empty() ? nullptr : find(words.front());
  if (!words.empty() && info == nullptr) return unknown(context, words.front());
  if (is_document(format)) {
    print_document(context.screen, format, info == nullptr ? frameworks_json() : framework_json(*info));
    return exit_ok;
  }
  if (format == "name") {
    for (const std::string& name : info == nullptr ? names() : words) context.screen.out(name + "\n");
    return exit_ok;
  }
  const Style style = context.out_style();
  context.screen.out(info == nullptr ? frameworks_text(style) : framework_text(*info, style));
  return exit_ok;
}

}  // namespace muster
