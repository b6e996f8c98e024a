// SPDX-License-Identifier: Apache-2.0
#include "core/output/order_recorder.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/output/tail_scan.h"

namespace muster {
namespace {

// A look ends after so many measurements, even if files still grow.
constexpr int kMostMeasurements = 8;
// Of one record. Later turns of a stream count as its last.
constexpr size_t kMostTurns = 1024;
// A rank that writes during each look is looked at again so soon, and recorded anyway after so long.
constexpr Duration kNextLook = std::chrono::milliseconds(5);
constexpr Duration kMostHeld = std::chrono::milliseconds(50);
// Bytes of a stream that are split into turns.
constexpr uint64_t kMostSplit = 1024 * 1024;

uint64_t& size_in(OutputSizes& sizes, OutputStream stream) {
  return stream == OutputStream::out ? sizes.out : sizes.err;
}

}  // namespace

OrderRecorder::OrderRecorder(Loop& loop, OutputFiles& files, OutputKeeper& keeper, Written written)
    : loop_(loop),
      files_(files),
      keeper_(keeper),
      written_(std::move(written)) {}

OrderRecorder::~OrderRecorder() { loop_.cancel(next_look_); }

// The files are created here, since the kernel names each write only of a file that exists.
void OrderRecorder::begin(const std::vector<RetainedOutput>& outputs) {
  watch_.reset();
  loop_.cancel(std::exchange(next_look_, 0));
  ranks_.clear();
  by_path_.clear();
  touched_.clear();
  std::vector<std::string> paths;
  for (const RetainedOutput& output : outputs) {
    if (output.out_path.empty()) continue;
    Rank& rank = ranks_.emplace_back();
    rank.index = output.index;
    rank.out_path = output.out_path;
    rank.err_path = output.err_path;
    rank.order_path = order_path(output.out_path);
    rank.size = keeper_.size(rank.order_path);
    for (const auto& [path, stream] :
         {std::pair(rank.out_path, OutputStream::out), {rank.err_path, OutputStream::err}}) {
      if (path.empty()) continue;
      by_path_[path] = {ranks_.size() - 1, stream};
      paths.push_back(path);
      rank.records = keeper_.append(path, "").ok() && rank.records;
    }
    rank.last.time = loop_.now();
    append(rank, encode_sizes(rank.last));
  }
  if (paths.empty()) return;
  watch_ = files_.watch_writes(paths, [this](const std::vector<std::string>& written) { grew(written); });
}

void OrderRecorder::catch_up(const std::vector<uint32_t>& ended) {
  if (!watch_) return;
  watch_->catch_up();
  if (!touched_.empty()) look(ended);
}

void OrderRecorder::grew(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) note(path);
  if (paths.empty()) {
    for (Rank& rank : ranks_) {
      touch(rank);
      rank.unnamed = true;
      if (rank.settled && has_grown(rank)) rank.settled = false;
    }
  }
  if (looking_) return;
  if (!paths.empty()) return look();
  measure();
  finish();
}

// A write that is not read from the kernel's queue before the sizes are measured would be counted but not ordered, or the other way
// round. So the queue is read again after each measurement: if a rank has nothing new in it, its sizes are exactly those of the
// noted writes.
void OrderRecorder::look(const std::vector<uint32_t>& ended) {
  looking_ = true;
  for (int i = 0; i < kMostMeasurements && measure(); ++i) watch_->catch_up();
  looking_ = false;
  finish(ended);
}

void OrderRecorder::note(const std::string& path) {
  const auto found = by_path_.find(path);
  if (found == by_path_.end()) return;
  const auto& [number, stream] = found->second;
  Rank& rank = ranks_[number];
  std::vector<Turn>& turns = rank.turns;
  touch(rank);
  rank.settled = false;
  if (turns.empty() || (turns.back().stream != stream && turns.size() < kMostTurns)) turns.push_back({stream, 0});
  if (turns.back().stream != stream) std::swap(turns.back(), turns[turns.size() - 2]);
  ++turns.back().writes;
}

void OrderRecorder::touch(Rank& rank) {
  if (std::exchange(rank.touched, true)) return;
  rank.settled = false;
  rank.since = loop_.now();
  touched_.push_back(static_cast<size_t>(&rank - ranks_.data()));
}

// Since it was measured.
bool OrderRecorder::has_grown(const Rank& rank) const {
  return keeper_.size(rank.out_path) != rank.now.out ||
         (!rank.err_path.empty() && keeper_.size(rank.err_path) != rank.now.err);
}

// False: there was nothing to measure.
bool OrderRecorder::measure() {
  bool any = false;
  for (const size_t number : touched_) {
    Rank& rank = ranks_[number];
    if (std::exchange(rank.settled, true)) continue;
    any = true;
    rank.now.out = keeper_.size(rank.out_path);
    rank.now.err = rank.err_path.empty() ? 0 : keeper_.size(rank.err_path);
  }
  return any;
}

// Records the ranks whose sizes and writes agree. The others are held, but not for long.
void OrderRecorder::finish(const std::vector<uint32_t>& ended) {
  for (const size_t number : std::exchange(touched_, {})) {
    Rank& rank = ranks_[number];
    const bool writes = std::find(ended.begin(), ended.end(), rank.index) == ended.end();
    if (rank.settled && writes && has_part_of_a_write(rank)) rank.settled = false;
    if (rank.settled) {
      record(rank);
    } else if (loop_.now() - rank.since >= kMostHeld) {
      leave_cut_line(rank, OutputStream::out);
      leave_cut_line(rank, OutputStream::err);
      record(rank);
    } else {
      touched_.push_back(number);
    }
  }
  if (touched_.empty() || next_look_ != 0) return;
  next_look_ = loop_.at(loop_.now() + kNextLook, [this] {
    next_look_ = 0;
    if (!touched_.empty()) look();
  });
}

// Whether the new bytes may end with the first part of a write that is not named yet, and the other stream would come within its line.
// Such a write ends soon: what is unchanged at the next look is complete.
bool OrderRecorder::has_part_of_a_write(Rank& rank) {
  const auto last = rank.turns.empty() ? std::nullopt : std::optional(rank.turns.back().stream);
  bool found = false;
  for (const OutputStream stream : {OutputStream::out, OutputStream::err}) {
    const bool before_the_other = rank.unnamed || (last && *last != stream);
    found = found || (before_the_other && ends_within_line(rank, stream));
  }
  if (!found) return false;
  if (rank.cut.out == rank.now.out && rank.cut.err == rank.now.err) return loop_.now() - rank.cut.time < kNextLook;
  rank.cut = rank.now;
  rank.cut.time = loop_.now();
  return true;
}

// Of the stream's new bytes.
bool OrderRecorder::ends_within_line(const Rank& rank, OutputStream stream) {
  const uint64_t end = size_of(rank.now, stream);
  if (end <= size_of(rank.last, stream)) return false;
  const Result<std::string> byte = files_.read(stream == OutputStream::out ? rank.out_path : rank.err_path, end - 1, 1);
  return byte.ok() && *byte != "\n";
}

// Where the writes of a rank are only about known, the other stream must not come within a line.
void OrderRecorder::leave_cut_line(Rank& rank, OutputStream stream) {
  const uint64_t from = size_of(rank.last, stream);
  uint64_t& now = size_in(rank.now, stream);
  const std::string& path = stream == OutputStream::out ? rank.out_path : rank.err_path;
  const uint64_t line = line_start(files_, path, from, now);
  if (line > from) now = line;
}

// One record for each turn. Bytes whose turns are not known come last, stdout first.
void OrderRecorder::record(Rank& rank) {
  rank.touched = rank.unnamed = false;
  rank.now.time = loop_.now();
  std::map<OutputStream, std::vector<uint64_t>> ends;
  for (const OutputStream stream : {OutputStream::out, OutputStream::err}) {
    ends[stream] = split(rank, stream);
    std::reverse(ends[stream].begin(), ends[stream].end());
  }
  std::string records;
  OutputSizes sizes = rank.last;
  sizes.time = rank.now.time;
  const auto reach = [&](OutputStream stream, uint64_t size) {
    if (size == std::exchange(size_in(sizes, stream), size)) return;
    records += encode_sizes(sizes);
  };
  for (const Turn& turn : std::exchange(rank.turns, {})) {
    reach(turn.stream, ends[turn.stream].back());
    ends[turn.stream].pop_back();
  }
  reach(OutputStream::out, rank.now.out);
  reach(OutputStream::err, rank.now.err);
  rank.last = rank.now;
  if (!records.empty()) append(rank, records);
}

// Where each turn of the stream ends.
std::vector<uint64_t> OrderRecorder::split(const Rank& rank, OutputStream stream) const {
  TurnedBytes turned;
  for (const Turn& turn : rank.turns) {
    if (turn.stream == stream) turned.writes.push_back(turn.writes);
  }
  const uint64_t from = size_of(rank.last, stream);
  const uint64_t end = size_of(rank.now, stream);
  if (turned.writes.size() < 2 || end <= from) return std::vector<uint64_t>(turned.writes.size(), end);
  const uint64_t before = from > 0 ? 1 : 0;
  const std::string& path = stream == OutputStream::out ? rank.out_path : rank.err_path;
  const Result<std::string> read = files_.read(path, from - before, std::min(end - from, kMostSplit) + before);
  std::string_view bytes = read.ok() ? std::string_view(*read) : std::string_view();
  if (before > 0 && !bytes.empty()) {
    turned.begins_line = bytes.front() == '\n';
    bytes.remove_prefix(1);
  }
  turned.bytes = bytes;
  std::vector<uint64_t> ends = turn_ends(turned);
  for (uint64_t& each : ends) each += from;
  ends.back() = end;
  return ends;
}

void OrderRecorder::append(Rank& rank, const std::string& records) {
  if (!rank.records) return;
  rank.records = keeper_.append(rank.order_path, records).ok();
  if (!rank.records) return;
  rank.size += records.size();
  const Result<uint64_t> kept = bound_order(keeper_, rank.order_path, rank.size, rank.kept);
  rank.records = kept.ok();
  if (kept.ok()) rank.kept = *kept;
  if (written_) written_(rank.index, rank.order_path, rank.kept);
}

}  // namespace muster
