// SPDX-License-Identifier: Apache-2.0
#include "core/job/template_text.h"

#include <algorithm>
#include <charconv>

namespace muster {
namespace {

// A piece of a template: a word, or literal text. `broken`: a `$` that begins neither a word nor `$$`.
struct Piece {
  std::string_view whole;
  std::string_view word;
  bool broken = false;
};

// The piece at the start of `text`, which is not empty.
Piece first_piece(std::string_view text) {
  if (text[0] != '$') return {text.substr(0, text.find('$')), {}, false};
  if (text.starts_with("$$")) return {text.substr(0, 2), {}, false};
  const size_t end = text.starts_with("${") ? text.find('}') : std::string_view::npos;
  if (end == std::string_view::npos) return {text.substr(0, 1), {}, true};
  return {text.substr(0, end + 1), text.substr(2, end - 2), end == 2};
}

}  // namespace

const std::vector<TemplateWord>& template_vocabulary() {
  static const std::vector<TemplateWord> words = {
      {"rank", "the rank in its world, from 0"},
      {"world_size", "ranks of the world"},
      {"local_rank", "the rank on its node, from 0"},
      {"local_size", "ranks of the job on the node"},
      {"group", "the group's name"},
      {"group_rank", "the rank in its group, from 0"},
      {"node", "the node's number in the job, from 0"},
      {"group_node",
       "the node's number in its group, from 0; ${group_node/4}, ${group_node%4}: its quotient and remainder"},
      {"nodes", "nodes of the job"},
      {"host", "the node's host name"},
      {"address", "the numeric address at which peers reach this node"},
      {"master_address", "the numeric address of the world's first node"},
      {"master_port", "a TCP port leased on that node for this attempt"},
      {"port", "a TCP port leased on this node for this rank and this attempt; ${port_2}, ${port_3} …: further ports"},
      {"peers",
       "ADDRESS:PORT of all ranks of the world in rank order, separated by commas; PORT is the rank's ${port}"},
      {"worker_addresses",
       "the numeric addresses of the world's ranks after the first, in rank order, separated by commas"},
      {"attempt", "the attempt, from 1"},
      {"restarts", "restarts so far"},
      {"job", "the job's name"},
      {"job_id", "the job's id"},
  };
  return words;
}

std::vector<std::string> template_words() {
  std::vector<std::string> words;
  for (const TemplateWord& word : template_vocabulary()) words.emplace_back(word.name);
  return words;
}

std::optional<uint32_t> part_of_group_node(std::string_view word, uint32_t group_node) {
  constexpr std::string_view kWord = "group_node";
  if (!word.starts_with(kWord) || word.size() < kWord.size() + 2) return std::nullopt;
  const char sign = word[kWord.size()];
  const std::string_view digits = word.substr(kWord.size() + 1);
  uint32_t divisor = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), divisor);
  const bool whole = error == std::errc() && end == digits.data() + digits.size() && digits.front() != '0';
  if (!whole || (sign != '/' && sign != '%')) return std::nullopt;
  return sign == '/' ? group_node / divisor : group_node % divisor;
}

uint32_t port_of_word(std::string_view word) {
  constexpr std::string_view kNumbered = "port_";
  constexpr uint32_t kMost = 64;
  if (word == "port") return 1;
  if (!word.starts_with(kNumbered)) return 0;
  const std::string_view digits = word.substr(kNumbered.size());
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool whole = error == std::errc() && end == digits.data() + digits.size() && digits.front() != '0';
  return whole && number >= 2 && number <= kMost ? number : 0;
}

uint32_t ports_of_template(std::string_view text) {
  uint32_t most = 0;
  while (!text.empty()) {
    const Piece piece = first_piece(text);
    most = std::max(most, piece.word == "peers" ? 1 : port_of_word(piece.word));
    text.remove_prefix(piece.whole.size());
  }
  return most;
}

std::optional<std::string> strange_word_of_template(std::string_view text) {
  const auto& known = template_vocabulary();
  while (!text.empty()) {
    const Piece piece = first_piece(text);
    if (piece.broken) return std::string(piece.word);
    const auto same = [&](const TemplateWord& word) { return word.name == piece.word; };
    const bool computed = port_of_word(piece.word) > 0 || part_of_group_node(piece.word, 0);
    if (!piece.word.empty() && !computed && std::none_of(known.begin(), known.end(), same))
      return std::string(piece.word);
    text.remove_prefix(piece.whole.size());
  }
  return std::nullopt;
}

std::string fill_template(std::string_view text, const TemplateValue& value_of) {
  std::string filled;
  while (!text.empty()) {
    const Piece piece = first_piece(text);
    const auto value = piece.word.empty() ? std::nullopt : value_of(piece.word);
    filled += piece.whole == "$$" ? "$" : value.value_or(std::string(piece.whole));
    text.remove_prefix(piece.whole.size());
  }
  return filled;
}

}  // namespace muster
