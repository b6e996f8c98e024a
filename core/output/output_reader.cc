// SPDX-License-Identifier: Apache-2.0
#include "core/output/output_reader.h"

#include <algorithm>
#include <utility>

#include "core/output/time_index.h"

namespace muster {
namespace {

constexpr size_t kChunk = 64 * 1024;
constexpr uint64_t kSpan = 1024 * 1024;
constexpr Attempt kLive = UINT32_MAX;
constexpr uint64_t kTailLimit = 64 * 1024 * 1024;

uint64_t minus(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }

}  // namespace

OutputStart start_of(const FollowRequest& request, Attempt attempt, uint32_t index, OutputStream stream) {
  OutputStart start;
  for (const OutputPosition& seen : request.resume) {
    if (seen.attempt == attempt && seen.index == index && seen.stream == stream) start.offset = seen.offset;
  }
  if (!request.resume.empty()) return start;
  start.tail_lines = request.tail_lines;
  start.since = request.since;
  return start;
}

void OutputReader::add(const OutputSource& source) {
  const Key key{source.attempt, source.index, source.stream};
  const auto [place, added] = sources_.try_emplace(key);
  if (!added) return;
  place->second.what = source;
  by_path_[place->second.what.path] = key;
  enqueue(key, place->second);
}

void OutputReader::enqueue(const Key& key, Source& source) {
  if (source.queued) return;
  source.queued = true;
  waiting_[source.ended ? source.what.attempt : kLive].push_back(key);
}

void OutputReader::changed(Attempt attempt, const std::set<std::string>& paths) {
  for (const std::string& path : paths) {
    const auto key = by_path_.find(path);
    if (key != by_path_.end()) enqueue(key->second, sources_.at(key->second));
  }
  if (!paths.empty()) return;
  for (auto& [key, source] : sources_) {
    if (source.what.attempt == attempt) enqueue(key, source);
  }
}

void OutputReader::end(Attempt attempt, const std::vector<uint32_t>& ranks) {
  for (auto& [key, source] : sources_) {
    const bool meant = std::find(ranks.begin(), ranks.end(), source.what.index) != ranks.end();
    if (source.what.attempt != attempt || source.ended || !meant) continue;
    if (source.queued) std::erase(waiting_[kLive], key);
    source.queued = false;
    source.ended = true;
    enqueue(key, source);
  }
}

std::optional<OutputReader::Key> OutputReader::pop() {
  while (!waiting_.empty()) {
    std::deque<Key>& turn = waiting_.begin()->second;
    if (turn.empty()) {
      waiting_.erase(waiting_.begin());
      continue;
    }
    const Key key = turn.front();
    turn.pop_front();
    sources_.at(key).queued = false;
    return key;
  }
  return std::nullopt;
}

OutputRead OutputReader::next() {
  const std::optional<Key> key = pop();
  if (!key) return {};
  Source& source = sources_.at(*key);
  if (begin(source)) return in_place_ ? point(*key, source) : read(*key, source);
  enqueue(*key, source);
  return {OutputRead::Kind::working, {}, {}, 0};
}

// True once the start of the source is known.
bool OutputReader::begin(Source& source) {
  if (!source.started) choose_start(source);
  source.started = true;
  if (!source.scan) return true;
  if (!source.scan->step(files_)) return false;
  source.offset = std::max(source.offset, source.scan->start());
  source.scan.reset();
  return true;
}

void OutputReader::choose_start(Source& source) {
  const OutputStart& start = source.what.start;
  const std::string& path = source.what.path;
  if (start.offset) source.offset = *start.offset;
  if (start.offset || (!start.since && !start.tail_lines)) return;
  source.offset = files_.first_kept(path);
  const uint64_t size = files_.size(path);
  if (start.since && source.what.stream != OutputStream::setup) {
    const OutputSizes sizes = sizes_at(files_, times_path(path), *start.since);
    const uint64_t then = std::min(size, source.what.stream == OutputStream::out ? sizes.out : sizes.err);
    source.offset = std::max(source.offset, line_start(files_, path, source.offset, then));
  }
  if (start.tail_lines)
    source.scan.emplace(path, std::max(source.offset, minus(size, kTailLimit)), size, *start.tail_lines);
}

// The start of the first complete line at or after `kept`; `kept` itself if a line is longer than a chunk.
uint64_t OutputReader::whole_line(const Source& source, uint64_t kept) {
  const Result<std::string> bytes = files_.read(source.what.path, kept, kChunk);
  const size_t end = bytes.ok() ? bytes->find('\n') : std::string::npos;
  return end == std::string::npos ? kept : kept + end + 1;
}

// Skips bytes that logs.max dropped. False: the next bytes were not dropped.
bool OutputReader::skip_dropped(Source& source) {
  const uint64_t kept = files_.first_kept(source.what.path);
  if (kept <= source.offset) return false;
  const uint64_t begin = whole_line(source, kept);
  source.dropped += begin - source.offset;
  source.offset = begin;
  return true;
}

// The next bytes, after dropped ones, which read as zeros.
Result<std::string> OutputReader::read_kept(Source& source) {
  while (true) {
    Result<std::string> bytes = files_.read(source.what.path, source.offset, kChunk);
    if (!bytes.ok() || bytes->empty() || !skip_dropped(source)) return bytes;
  }
}

OutputRead OutputReader::read(const Key& key, Source& source) {
  Result<std::string> bytes = read_kept(source);
  if (!bytes.ok() || bytes->empty()) {
    rest(key, source, files_.size(source.what.path));
    return {OutputRead::Kind::working, {}, {}, 0};
  }
  const bool more = bytes->size() == kChunk || source.ended;
  OutputRead read{OutputRead::Kind::chunk, {}, {}, std::exchange(source.dropped, 0)};
  read.chunk = {{source.what.attempt, source.what.index, source.what.stream, source.offset}, std::move(*bytes)};
  source.offset += read.chunk.bytes.size();
  if (more) enqueue(key, source);
  return read;
}

// A requested start is reported even without bytes: a viewer that loses its controller continues from there with the next one.
OutputRead OutputReader::point(const Key& key, Source& source) {
  const OutputStart& start = source.what.start;
  const uint64_t size = files_.size(source.what.path);
  if (size > source.offset) skip_dropped(source);
  const uint64_t length = std::min(minus(size, source.offset), kSpan);
  const bool chosen = !std::exchange(source.told, true) && (start.tail_lines || start.since);
  OutputRead read{length > 0 || chosen ? OutputRead::Kind::span : OutputRead::Kind::working, {}, {}, 0};
  read.span = {{source.what.attempt, source.what.index, source.what.stream, source.offset}, length, source.what.path};
  if (length == 0) {
    rest(key, source, size);
    return read;
  }
  read.dropped = std::exchange(source.dropped, 0);
  source.offset += length;
  if (length == kSpan || source.ended) enqueue(key, source);
  return read;
}

// Nothing to read for now.
void OutputReader::rest(const Key& key, Source& source, uint64_t size) {
  if (source.ended) {
    by_path_.erase(source.what.path);
    sources_.erase(key);
    return;
  }
  // A program may truncate its own output; its next bytes are then before this offset.
  source.offset = std::min(source.offset, size);
}

}  // namespace muster
