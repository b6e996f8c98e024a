// SPDX-License-Identifier: Apache-2.0
#include "core/client/follow/output_printer.h"

#include <algorithm>
#include <utility>

#include "core/base/text.h"

namespace muster {

std::string rank_label(const std::string& rank_name) {
  static constexpr std::string_view plain = "rank ";
  return "[" + (rank_name.starts_with(plain) ? rank_name.substr(plain.size()) : rank_name) + "]";
}

namespace {

// "[3]   " with " err" → "[3 err] ": takes the mark's width from the padding if there is enough.
std::string marked(std::string label, const std::string& mark) {
  const size_t width = label.size();
  label.insert(label.find_last_of(']'), mark);
  while (label.size() > width && label.ends_with("  ")) label.pop_back();
  return label;
}

}  // namespace

std::string stream_mark(Attempt attempt, OutputStream stream) {
  std::string mark = attempt > 1 ? " #" + std::to_string(attempt) : "";
  if (stream == OutputStream::err) mark += " err";
  if (stream == OutputStream::setup) mark += " setup";
  return mark;
}

OutputPrinter::OutputPrinter(Screen& screen, Style out_style, Style err_style, OutputChoice choice)
    : screen_(screen),
      out_style_(out_style),
      err_style_(err_style),
      choice_(choice) {}

void OutputPrinter::set_ranks(const std::vector<RankView>& ranks) {
  if (ranks.size() == labels_.size()) return;
  size_t width = 0;
  for (const RankView& rank : ranks) width = std::max(width, display_width(rank_label(rank.name)));
  labels_.clear();
  for (const RankView& rank : ranks) {
    const std::string label = rank_label(rank.name);
    groups_[rank.index] = rank.group;
    labels_[rank.index] = label + std::string(width - display_width(label) + 1, ' ');
    setup_labels_[rank.index] = "[setup@" + escaped(rank.host) + "] ";
  }
}

bool OutputPrinter::shown(uint32_t index, OutputStream stream) const {
  if (stream == OutputStream::out ? !choice_.out : !choice_.err) return false;
  return !choice_.label || choice_.label(index, stream);
}

bool OutputPrinter::raw(uint32_t index, OutputStream stream) const {
  if (stream == OutputStream::setup) return false;
  if (choice_.raw_rank == index) return true;
  if (choice_.marks || choice_.times) return false;
  if (choice_.label && !choice_.label(index, stream).value_or("").empty()) return false;
  return is_only_rank(index);
}

bool OutputPrinter::is_only_rank(uint32_t index) const {
  return labels_.size() <= 1 && (labels_.empty() ? index == 0 : labels_.contains(index));
}

void OutputPrinter::print(const OutputChunk& chunk) {
  const OutputPosition& at = chunk.position;
  if (!shown(at.index, at.stream)) return;
  if (raw(at.index, at.stream)) {
    print_raw(chunk);
    return draw_foot();
  }
  const std::string& group = groups_[at.index];
  if (at.attempt > newest_[group]) {
    flush_before(at.attempt, group);
    newest_[group] = at.attempt;
  }
  const Stream stream{at.attempt, at.index, at.stream};
  if (choice_.times) times_[stream] = chunk.time;
  const Style& style = style_of(at.stream);
  auto& assembler =
      assemblers_.try_emplace(stream, style.terminal ? LineTarget::terminal : LineTarget::pipe).first->second;
  // Bytes in between were dropped (logs.max). They may have contained the end of the line.
  const uint64_t reached = std::exchange(reached_[stream], at.offset + chunk.bytes.size());
  if (at.offset > reached && reached > 0) write_lines(stream, assembler.flush());
  text_.clear();
  assembler.add_to(text_, prefix_of(stream, style), chunk.bytes);
  write_text(at.stream);
  if (style.terminal && at.attempt > ended_) show_unfinished(stream);
  draw_foot();
}

void OutputPrinter::set_foot(const std::string& line) {
  if (!err_style_.terminal || line == foot_) return;
  if (foot_drawn_) make_room();
  foot_ = line;
  draw_foot();
}

void OutputPrinter::draw_foot() {
  if (foot_.empty() || open_line_ || unfinished_) return;
  screen_.err(foot_);
  unfinished_ = foot_drawn_ = true;
}

void OutputPrinter::print_raw(const OutputChunk& chunk) {
  if (chunk.bytes.empty()) return;
  if (foot_drawn_) make_room();
  write(chunk.position.stream, chunk.bytes);
  open_line_ = chunk.bytes.back() != '\n';
  unfinished_ = false;
  const Style& style = style_of(chunk.position.stream);
  if (style.terminal && chunk.bytes.find_first_of("\x1b\x0e") != std::string::npos) styled_ = true;
}

void OutputPrinter::write(OutputStream stream, std::string_view text) {
  if (to_stdout(stream)) {
    screen_.out(text);
  } else {
    screen_.err(text);
  }
}

void OutputPrinter::write_lines(const Stream& stream, const std::vector<std::string>& lines) {
  const auto& [attempt, index, kind] = stream;
  const std::string prefix = prefix_of(stream, style_of(kind));
  text_.clear();
  for (const std::string& line : lines) text_ += prefix + line + "\n";
  write_text(kind);
}

void OutputPrinter::write_text(OutputStream stream) {
  if (text_.empty()) return;
  make_room();
  write(stream, text_);
}

std::string OutputPrinter::prefix_of(const Stream& of, const Style& style) const {
  if (!choice_.times) return label_of(of, style);
  const auto time = times_.find(of);
  const bool known = time != times_.end() && time->second != TimePoint();
  return paint(style, Colour::dim, (known ? format_utc(time->second) : "-") + " ") + label_of(of, style);
}

std::string OutputPrinter::label_of(const Stream& of, const Style& style) const {
  const auto& [attempt, index, stream] = of;
  if (choice_.label) return paint(style, colour_of_rank(index), choice_.label(index, stream).value_or(""));
  if (!choice_.prefix) return "";
  if (choice_.times && stream != OutputStream::setup && is_only_rank(index)) return "";
  const auto found = labels_.find(index);
  std::string label = found == labels_.end() ? "[" + std::to_string(index) + "] " : found->second;
  if (choice_.marks) return paint(style, colour_of_rank(index), marked(std::move(label), stream_mark(attempt, stream)));
  if (stream != OutputStream::setup) return paint(style, colour_of_rank(index), label);
  const auto setup = setup_labels_.find(index);
  return paint(style, Colour::dim, setup == setup_labels_.end() ? "[setup] " : setup->second);
}

void OutputPrinter::flush_before(Attempt attempt, const std::string& group) {
  for (auto next = assemblers_.begin(); next != assemblers_.end() && std::get<0>(next->first) < attempt;) {
    const bool meant = groups_[std::get<1>(next->first)] == group;
    if (meant) finish_line(next->first, next->second);
    if (meant) reached_.erase(next->first);
    next = meant ? assemblers_.erase(next) : std::next(next);
  }
}

void OutputPrinter::finish_line(const Stream& stream, LineAssembler& line) {
  const bool dead_bar = std::get<0>(stream) <= ended_ && line.is_bar();
  const std::vector<std::string> lines = line.flush();
  if (!dead_bar) write_lines(stream, lines);
}

void OutputPrinter::end_attempts() {
  const auto other = [&](const auto& each) { return each.second != groups_.begin()->second; };
  if (std::any_of(groups_.begin(), groups_.end(), other)) return;
  for (auto& [stream, assembler] : assemblers_) finish_line(stream, assembler);
  for (const auto& [group, attempt] : newest_) ended_ = std::max(ended_, attempt);
}

void OutputPrinter::flush() {
  for (auto& [stream, assembler] : assemblers_) finish_line(stream, assembler);
  assemblers_.clear();
  reached_.clear();
  make_room();
}

// Shown without colours: a cut inside a colour sequence would leave the terminal coloured.
void OutputPrinter::show_unfinished(const Stream& stream) {
  const auto& [attempt, index, kind] = stream;
  const Style& style = style_of(kind);
  const std::string begun = without_colours(assemblers_.at(stream).unfinished());
  if (begun.empty()) return;
  make_room();
  const std::string label = prefix_of(stream, Style{});
  const size_t width = std::max<size_t>(style.columns, 20);
  write(kind, prefix_of(stream, style) + cut(begun, width - std::min(width, display_width(label) + 1)));
  unfinished_ = true;
}

// A newline is added only on a terminal: a file or pipe gets exactly the bytes of the rank.
void OutputPrinter::make_room() {
  if (styled_) screen_.err("\x1b[0m\x0f");
  styled_ = false;
  if (unfinished_) screen_.err("\r\x1b[K");
  if (open_line_ && out_style_.terminal) screen_.err("\n");
  unfinished_ = false;
  foot_drawn_ = false;
  open_line_ = false;
}

// If `^C` is alone on its line, it is overwritten. After a rank's unfinished line a new line begins anyway.
void OutputPrinter::echoed() {
  if (err_style_.terminal && !open_line_) unfinished_ = true;
}

std::string without_colours(std::string_view text) {
  std::string plain;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\x1b') {
      at = std::min(text.find('m', at), text.size());
      continue;
    }
    plain += text[at];
  }
  return plain;
}

}  // namespace muster
