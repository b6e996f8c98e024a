// SPDX-License-Identifier: Apache-2.0
#include "test/scenario/command.h"

#include <cctype>

namespace muster::scenario {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Reads one word at `at`. The first `=` outside quotes separates key and value.
Word next_word(const std::string& line, size_t& at) {
  Word word;
  std::string text;
  bool quoted = false;
  bool divided = false;
  for (; at < line.size() && (quoted || !is_blank(line[at])); ++at) {
    const char c = line[at];
    if (c == '"') {
      quoted = !quoted;
    } else if (c == '=' && !quoted && !divided) {
      word.key = std::move(text);
      text.clear();
      divided = true;
    } else {
      text += c;
    }
  }
  if (quoted) throw BadCommand("a quote is not closed");
  word.value = std::move(text);
  return word;
}

}  // namespace

Command parse_command(const std::string& line) {
  Command command;
  for (size_t at = 0; at < line.size();) {
    if (is_blank(line[at])) {
      ++at;
      continue;
    }
    Word word = next_word(line, at);
    if (command.verb.empty()) {
      command.verb = word.value;
    } else {
      command.words.push_back(std::move(word));
    }
  }
  return command;
}

const std::string& Command::plain(size_t n) const {
  for (const Word& word : words) {
    if (word.key.empty() && n-- == 0) return word.value;
  }
  throw BadCommand("`" + verb + "` needs more words");
}

bool Command::has(const std::string& plain_word) const {
  for (const Word& word : words) {
    if (word.key.empty() && word.value == plain_word) return true;
  }
  return false;
}

std::string Command::option(const std::string& key, const std::string& otherwise) const {
  for (const Word& word : words) {
    if (word.key == key) return word.value;
  }
  return otherwise;
}

uint64_t Command::number(const std::string& key, uint64_t otherwise) const {
  const std::string text = option(key, "");
  return text.empty() ? otherwise : parse_number(text);
}

Duration Command::duration(const std::string& key, Duration otherwise) const {
  const std::string text = option(key, "");
  return text.empty() ? otherwise : parse_time(text);
}

uint64_t parse_number(const std::string& text) {
  for (const char c : text) {
    if (std::isdigit(static_cast<unsigned char>(c)) == 0) throw BadCommand("`" + text + "` is not a number");
  }
  if (text.empty() || text.size() > 18) throw BadCommand("`" + text + "` is not a number");
  return std::stoull(text);
}

Duration parse_time(const std::string& text) {
  const Result<Duration> duration = parse_duration(text);
  if (!duration.ok()) throw BadCommand(duration.status().message());
  return *duration;
}

}  // namespace muster::scenario
