// The help of one command, and the small readers of flag values.
#include <algorithm>
#include <charconv>

#include "core/base/text.h"
#include "launcher/cli/command_line.h"
#include "launcher/view/style.h"

namespace muster {
namespace {

constexpr size_t longest_rank_list = 65536;
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

Result<uint32_t> parse_rank(const std::string& flag, const std::string& text) {
  auto number = parse_number(flag, text);
  if (!number.ok()) return number.status();
  if (*number >= UINT32_MAX) return Status(Code::invalid_argument, flag + " " + text + " is beyond any rank");
  return static_cast<uint32_t>(*number);
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
  flags.emplace_back("-h, --help", "this text");
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

std::string shell_line(const std::vector<std::string>& words) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  std::vector<std::string> quoted;
  for (const std::string& word : words) {
    const bool safe = !word.empty() && word.find_first_not_of(plain) == std::string::npos;
    quoted.push_back(safe ? word : "'" + join(split(word, '\''), "'\\''") + "'");
  }
  return join(quoted, " ");
}

std::string name_as_typed(const std::string& names, const std::vector<std::string>& typed) {
  const size_t longest = names.find("--");
  if (longest == std::string::npos || longest == 0) return names;
  const std::string brief = names.substr(0, longest - 1);
  const bool is_brief = std::any_of(typed.begin(), typed.end(), [&](const std::string& word) {
    return word.starts_with(brief) && !word.starts_with("--");
  });
  return is_brief ? brief : names.substr(longest);
}

Result<uint64_t> parse_number(const std::string& flag, const std::string& text, uint64_t least) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < least) {
    return Status(Code::invalid_argument,
                  flag + " wants a number from " + std::to_string(least) + ", not `" + text + "`");
  }
  return number;
}

Result<std::vector<uint32_t>> parse_ranks(const std::string& flag, const std::string& text) {
  std::vector<uint32_t> ranks;
  for (const std::string& part : split(text, ',')) {
    const size_t dash = part.find('-');
    const auto first = parse_rank(flag, part.substr(0, dash));
    if (!first.ok()) return first.status();
    const auto last = dash == std::string::npos ? first : parse_rank(flag, part.substr(dash + 1));
    if (!last.ok()) return last.status();
    if (*last < *first) return Status(Code::invalid_argument, flag + " `" + part + "` counts down");
    if (*last - *first >= longest_rank_list - ranks.size()) {
      return Status(Code::invalid_argument, flag + " names more than 65,536 ranks");
    }
    for (uint32_t rank = *first; rank <= *last; ++rank) ranks.push_back(rank);
  }
  return ranks;
}

}  // namespace muster
