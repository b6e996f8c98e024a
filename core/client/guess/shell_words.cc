// SPDX-License-Identifier: Apache-2.0
#include "core/client/guess/shell_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

namespace muster {
namespace {

using Words = std::vector<std::string>;

constexpr std::array<std::string_view, 14> kReserved{"if", "then", "elif", "else", "fi", "while",  "until",
                                                     "do", "done", "for",  "!",    "{",  "export", "}"};

bool is_name_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The length of `NAME=` at the beginning of a word; 0: the word assigns nothing.
size_t assigned_name(std::string_view word) {
  const size_t end = word.find('=');
  if (end == std::string_view::npos || end == 0) return 0;
  return std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(end), is_name_character) ? end : 0;
}

class ShellReader {
 public:
  explicit ShellReader(std::string_view text) : text_(text) {}

  std::vector<Words> read() {
    while (at_ < text_.size()) take(text_[at_]);
    end_command();
    return std::move(commands_);
  }

 private:
  void take(char c) {
    if (c == '\\') return take_escape();
    if (c == '\'') return take_quoted(c);
    if (c == '"') return take_double_quoted();
    if (c == '$') return take_expansion();
    ++at_;
    if (c == '#' && !in_word_) return skip_line();
    if (c == ' ' || c == '\t' || c == '\r') return end_word();
    if (c == '<' || c == '>') return take_redirection();
    if (std::string_view("\n;&|()`").find(c) != std::string_view::npos) return end_command();
    add(c);
  }

  void add(char c) {
    word_ += c;
    in_word_ = true;
  }

  void take_escape() {
    if (at_ + 1 < text_.size() && text_[at_ + 1] != '\n') add(text_[at_ + 1]);
    at_ += 2;
  }

  void take_quoted(char quote) {
    in_word_ = true;
    for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) word_ += text_[at_];
    ++at_;
  }

  void take_double_quoted() {
    in_word_ = true;
    for (++at_; at_ < text_.size() && text_[at_] != '"';) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size())
        ++at_;
      else if (text_[at_] == '$') {
        take_expansion();
        continue;
      }
      word_ += text_[at_++];
    }
    ++at_;
  }

  // $NAME and ${NAME}; $(…) and others as written.
  void take_expansion() {
    in_word_ = true;
    if (at_ + 1 < text_.size() && text_[at_ + 1] == '(') return take_substitution();
    const bool braced = at_ + 1 < text_.size() && text_[at_ + 1] == '{';
    const size_t begin = at_ + (braced ? 2 : 1);
    size_t end = begin;
    while (end < text_.size() && is_name_character(text_[end])) ++end;
    const bool whole = end > begin && (!braced || (end < text_.size() && text_[end] == '}'));
    const auto value = whole ? values_.find(std::string(text_.substr(begin, end - begin))) : values_.end();
    if (value == values_.end()) {
      word_ += text_[at_++];
      return;
    }
    word_ += value->second;
    at_ = end + (braced ? 1 : 0);
  }

  // The commands inside are commands of the script too.
  void take_substitution() {
    const size_t begin = at_ + 2;
    size_t end = begin;
    for (int open = 1; end < text_.size(); ++end) {
      open += text_[end] == '(' ? 1 : text_[end] == ')' ? -1 : 0;
      if (open == 0) break;
    }
    for (Words& words : ShellReader(text_.substr(begin, end - begin)).read()) commands_.push_back(std::move(words));
    end = std::min(end + 1, text_.size());
    word_ += text_.substr(at_, end - at_);
    at_ = end;
  }

  // The target of a redirection is no word of the command.
  void take_redirection() {
    const bool descriptor = word_.size() == 1 && std::isdigit(static_cast<unsigned char>(word_[0])) != 0;
    if (descriptor) word_.clear(), in_word_ = false;
    end_word();
    while (at_ < text_.size() && (text_[at_] == '<' || text_[at_] == '>' || text_[at_] == '&' || text_[at_] == '-'))
      ++at_;
    skipped_ = true;
  }

  void skip_line() {
    while (at_ < text_.size() && text_[at_] != '\n') ++at_;
  }

  void end_word() {
    if (!in_word_) return;
    if (!skipped_) keep_word();
    skipped_ = in_word_ = false;
    word_.clear();
  }

  void keep_word() {
    const bool first = words_.empty();
    if (first && std::find(kReserved.begin(), kReserved.end(), word_) != kReserved.end()) return;
    if (const size_t name = first ? assigned_name(word_) : 0; name > 0) {
      values_[word_.substr(0, name)] = word_.substr(name + 1);
      return;
    }
    words_.push_back(word_);
  }

  void end_command() {
    end_word();
    skipped_ = false;
    if (!words_.empty()) commands_.push_back(std::move(words_));
    words_.clear();
  }

  const std::string_view text_;
  size_t at_ = 0;
  std::string word_;
  bool in_word_ = false;
  bool skipped_ = false;  // the next word is the target of a redirection
  Words words_;
  std::vector<Words> commands_;
  std::map<std::string, std::string> values_;
};

}  // namespace

std::vector<Words> shell_commands(std::string_view text) { return ShellReader(text).read(); }

}  // namespace muster
