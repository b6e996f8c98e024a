// SPDX-License-Identifier: Apache-2.0
#include "core/client/view/line_assembler.h"

#include <algorithm>

#include "core/base/text.h"

namespace muster {
namespace {

constexpr size_t kLongestShown = 64 * 1024;
constexpr size_t kLongestPiped = 16 * 1024 * 1024;
constexpr size_t kLongestStates = 64 * 1024;
constexpr size_t kLongestColour = 32;
constexpr std::string_view kNoColour = "\x1b[0m";

// The length of the colour sequence at the beginning of `text`: ESC [ numbers m (ECMA-48 8.3.117). 0: there is none.
size_t colour_length(std::string_view text) {
  if (!text.starts_with("\x1b[")) return 0;
  const size_t end = text.substr(0, kLongestColour).find_first_not_of("0123456789;:", 2);
  return end != std::string_view::npos && text[end] == 'm' ? end + 1 : 0;
}

bool resets_colour(std::string_view colour) { return colour == kNoColour || colour == "\x1b[m"; }

// The number of bytes at the end of `text` that begin an incomplete UTF-8 sequence.
size_t torn_bytes(std::string_view text) {
  for (size_t back = 1; back <= std::min<size_t>(3, text.size()); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if (byte < 0x80) return 0;
    if (byte < 0xC0) continue;
    const size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2;
    return length > back ? back : 0;
  }
  return 0;
}

}  // namespace

std::string safe_for_terminal(std::string_view text) {
  std::string shown;
  bool coloured = false;
  while (!text.empty()) {
    const size_t plain = text.find_first_of("\x1b\t");
    shown += escaped(text.substr(0, plain));
    if (plain == std::string_view::npos) break;
    text.remove_prefix(plain);
    const size_t colour = colour_length(text);
    const size_t length = std::max<size_t>(colour, 1);
    const std::string_view special = text.substr(0, length);
    if (colour > 0) coloured = !resets_colour(special);
    shown += colour > 0 || special == "\t" ? std::string(special) : escaped(special);
    text.remove_prefix(length);
  }
  if (coloured) shown += kNoColour;
  return shown;
}

std::vector<std::string> LineAssembler::add(std::string_view bytes) {
  std::vector<std::string> lines;
  const auto keep = [&](std::string line) { lines.push_back(std::move(line)); };
  for (size_t end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
    take_states(bytes.substr(0, end), keep);
    keep(line());
    clear();
    bytes.remove_prefix(end + 1);
  }
  take_states(bytes, keep);
  return lines;
}

// Fast path: a whole line for a pipe is copied once. A line that was begun before, contains \r or goes to a terminal is
// assembled.
void LineAssembler::add_to(std::string& text, std::string_view prefix, std::string_view bytes) {
  const bool plain = target_ == LineTarget::pipe && bytes.find('\r') == std::string_view::npos;
  const auto print = [&](std::string_view line) { (text += prefix).append(line) += '\n'; };
  for (size_t end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
    if (plain && end <= kLongestPiped && !begun()) {
      print(bytes.substr(0, end));
    } else {
      take_states(bytes.substr(0, end), print);
      print(line());
      clear();
    }
    bytes.remove_prefix(end + 1);
  }
  take_states(bytes, print);
}

bool LineAssembler::begun() const { return !text_.empty() || cut_ > 0 || returned_; }

// Takes a piece of one line, state by state. For a terminal, text after a \r replaces the text before it. For a pipe all is
// kept: `print` gets what there is if a bar becomes too long for one line.
template <typename Print>
void LineAssembler::take_states(std::string_view piece, const Print& print) {
  while (!piece.empty()) {
    const size_t end = piece.find('\r');
    const size_t length = end == std::string_view::npos ? piece.size() : end + 1;
    if (target_ == LineTarget::pipe) {
      if (text_.size() >= kLongestStates && text_.back() == '\r') {
        print(line());
        clear();
      }
      take(piece.substr(0, length));
    } else {
      take(piece.substr(0, end));
      returned_ = returned_ || end != std::string_view::npos;
    }
    piece.remove_prefix(length);
  }
}

void LineAssembler::take(std::string_view text) {
  if (text.empty()) return;
  if (returned_) {
    clear();
    bar_ = true;
  }
  const size_t longest = target_ == LineTarget::terminal ? kLongestShown : kLongestPiped;
  const size_t room = std::min(text.size(), longest - text_.size());
  text_ += text.substr(0, room);
  cut_ += text.size() - room;
}

void LineAssembler::clear() {
  if (text_.capacity() > kLongestShown) text_ = std::string();
  text_.clear();
  cut_ = 0;
  bar_ = returned_ = false;
}

std::vector<std::string> LineAssembler::flush() {
  std::vector<std::string> lines;
  if (!text_.empty()) lines.push_back(line());
  clear();
  return lines;
}

std::string LineAssembler::line() const {
  const std::string_view whole = std::string_view(text_).substr(0, text_.size() - (cut_ > 0 ? torn_bytes(text_) : 0));
  const std::string text = target_ == LineTarget::terminal ? safe_for_terminal(whole) : std::string(whole);
  if (cut_ == 0) return text;
  return text + " … (" + count_of(cut_ + text_.size() - whole.size(), "more byte") + ")";
}

std::string LineAssembler::unfinished() const {
  if (text_.empty()) return "";
  // The rest of an incomplete UTF-8 sequence may still come, so it is left out and not shown as \xNN.
  const size_t whole = text_.size() - torn_bytes(text_);
  return cut_ > 0 || target_ == LineTarget::pipe ? line() : safe_for_terminal(std::string_view(text_).substr(0, whole));
}

}  // namespace muster
