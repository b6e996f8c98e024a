// SPDX-License-Identifier: Apache-2.0
#include "launcher/follow/rank_console.h"

#include <algorithm>

#include "core/client/follow/output_printer.h"
#include "core/client/view/status_lines.h"

namespace muster {
namespace {

// A line without an end is shown when its rank has been silent for this long.
constexpr Duration kSilence = std::chrono::milliseconds(200);
constexpr size_t kTail = 16 * 1024;

}  // namespace

bool reports_delay(const JobEvent& event) {
  constexpr const char* kWords[] = {
      "restarting", "waiting ", "continuing with ", " joined: ", " was lost", "is unreachable", " is queued"};
  return !is_final(event.state) && !event.sentence.starts_with("stopping") &&
         std::any_of(std::begin(kWords), std::end(kWords),
                     [&](const char* words) { return event.sentence.find(words) != std::string::npos; });
}

void RankConsole::see(Attempt attempt) {
  if (attempt <= newest_) return;
  newest_ = attempt;
  release();
  tails_.clear();
}

void RankConsole::keep_tail(const OutputChunk& chunk) {
  if (chunk.position.stream != OutputStream::err && !one_stream_) return;
  std::string& tail = tails_[chunk.position.index];
  tail += chunk.bytes;
  if (tail.size() > kTail) tail.erase(0, tail.size() - kTail);
  last_ = chunk.position.index;
}

void RankConsole::print(uint32_t rank, OutputStream stream, std::string_view bytes) {
  write(lines_.add(rank, stream, bytes));
  loop_.cancel(silence_);
  silence_ = 0;
  if (lines_.holding()) silence_ = loop_.at(loop_.now() + kSilence, [this] { release(); });
}

std::string RankConsole::tail_of(uint32_t rank) const {
  const auto found = tails_.find(rank);
  if (found == tails_.end()) return "";
  return one_stream_ ? without_colours(found->second) : found->second;
}

void RankConsole::add_evidence(uint32_t rank, bool shown, FailureFacts& facts) const {
  facts.stderr_tail = tail_of(rank);
  facts.was_shown = last_ == rank && shown;
}

void RankConsole::write(const std::vector<WholeLines::Piece>& pieces) {
  for (const WholeLines::Piece& piece : pieces) {
    if (piece.stream == OutputStream::out) {
      screen_.out(piece.bytes);
    } else {
      screen_.err(piece.bytes);
    }
  }
}

}  // namespace muster
