// The help of one command, and the small readers of flag values.
#include <algorithm>
#include <charconv>

#include "core/base/text.h"
#include "core/client/view/style.h"
#include "launcher/cli/command_line.h"

namespace muster {
namespace {

constexpr size_t widest_flag = 34;  // a longer one has its help on the next line
constexpr size_t columns = 80;

// "-f,--follow" with "N" → "-f, --follow N"; a flag without a short name is indented as if it had one.
std::string spelled(const std::string& names, const std::string& placeholder) {
  std::string text = join(split(names, ','), ", ");
  if (text.starts_with("--")) text = "    " + text;
  return placeholder.empty() ? text : text + " " + placeholder;
}

using Rows = std::vector<std::pair<std::string, std::string>>;

// Two columns: what one types, and what it does.
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

std::string CommandLine::help() const {
  std::string text = wrapped(summary_, columns) + "\n\nusage: muster " + usage_ + "\n\n";
  Rows verbs;
  for (const CommandFacts::Verb& verb : verbs_)
    verbs.emplace_back(verb.name + (verb.words.empty() ? "" : " " + verb.words), verb.help);
  if (!verbs.empty()) text += rows_text(verbs) + "\n";
  Rows flags;
  for (const Flag& flag : flags_) flags.emplace_back(spelled(flag.names, flag.placeholder), flag.help);
  flags.emplace_back(spelled(help_.names, ""), help_.help);
  text += rows_text(flags);
  if (!note_.empty()) text += "\n" + wrapped(note_, columns) + "\n";
  text += "\nexample:\n";
  for (const std::string& line : split(example_, '\n')) text += "  " + line + "\n";
  return text;
}

CommandFacts CommandLine::facts() const {
  CommandFacts facts{.usage = usage_,
                     .summary = summary_,
                     .example = example_,
                     .note = note_,
                     .noun = noun_,
                     .most_words = most_,
                     .takes_program = rest_ != nullptr,
                     .verbs = verbs_};
  for (const Flag& flag : flags_) {
    const bool repeats = flag.many != nullptr;
    facts.flags.push_back({flag.names, flag.placeholder, flag.help, flag.choices, repeats});
  }
  return facts;
}

}  // namespace muster
