// SPDX-License-Identifier: Apache-2.0
#include "launcher/cli/help_text.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/client/view/style.h"

namespace muster {
namespace {

constexpr size_t widest_flag = 34;  // the help of a longer flag begins on the next line
constexpr size_t columns = 80;

// "-f,--follow" with "N" → "-f, --follow N"; a flag without a short name is indented as if it had one.
std::string spelled(const std::string& names, const std::string& placeholder) {
  std::string text = join(split(names, ','), ", ");
  if (text.starts_with("--")) text = "    " + text;
  return placeholder.empty() ? text : text + " " + placeholder;
}

using Rows = std::vector<std::pair<std::string, std::string>>;

// Two columns: what the user types, and what it does.
std::string rows_text(const Rows& rows) {
  size_t width = 0;
  for (const auto& row : rows) {
    if (display_width(row.first) <= widest_flag) width = std::max(width, display_width(row.first));
  }
  std::string text;
  for (const auto& [left, right] : rows) {
    const size_t used = display_width(left);
    const std::string gap = used <= width ? std::string(width - used + 2, ' ') : "\n" + std::string(width + 4, ' ');
    text += "  " + left + gap + wrapped(right, columns, width + 4) + "\n";
  }
  return text;
}

}  // namespace

std::string help_text(const CommandFacts& command) {
  std::string text = wrapped(command.summary, columns) + "\n\nusage: muster " + command.usage + "\n\n";
  Rows verbs;
  for (const CommandFacts::Verb& verb : command.verbs)
    verbs.emplace_back(verb.name + (verb.words.empty() ? "" : " " + verb.words), verb.help);
  if (!verbs.empty()) text += rows_text(verbs) + "\n";
  Rows flags;
  for (const CommandFacts::Flag& flag : command.flags)
    flags.emplace_back(spelled(flag.names, flag.placeholder), flag.help);
  flags.emplace_back("-h, --help", "show this help");
  text += rows_text(flags);
  if (!command.note.empty()) text += "\n" + wrapped(command.note, columns) + "\n";
  text += "\nexample:\n";
  for (const std::string& line : split(command.example, '\n')) text += "  " + line + "\n";
  return text;
}

}  // namespace muster
