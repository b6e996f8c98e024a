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
  const bool setup = source.stream == OutputStream::setup;
  const Key key{source.attempt, source.index, !setup};
  Lane& lane = lanes_[key];
  const auto [place, added] = lane.sources.try_emplace(source.stream);
  if (!added) return;
  place->second.what = source;
  by_path_[place->second.what.path] = key;
  if (!setup && !lane.order) by_path_[lane.order.emplace(source.path).path()] = key;
  enqueue(key, lane);
}

void OutputReader::enqueue(const Key& key, Lane& lane) {
  if (lane.queued) return;
  lane.queued = true;
  turns_[lane.ended ? std::get<0>(key) : kLive].push_back(key);
}

void OutputReader::changed(Attempt attempt, const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    const auto key = by_path_.find(path);
    if (key != by_path_.end()) enqueue(key->second, lanes_.at(key->second));
  }
  if (!paths.empty()) return;
  for (auto& [key, lane] : lanes_) {
    if (std::get<0>(key) == attempt) enqueue(key, lane);
  }
}

void OutputReader::end(Attempt attempt, const std::vector<uint32_t>& ranks) {
  for (auto& [key, lane] : lanes_) {
    const auto& [of, index, after_setup] = key;
    const bool meant = std::find(ranks.begin(), ranks.end(), index) != ranks.end();
    if (of != attempt || lane.ended || !meant) continue;
    if (lane.queued) std::erase(turns_[kLive], key);
    lane.queued = false;
    lane.ended = true;
    enqueue(key, lane);
  }
}

std::optional<OutputReader::Key> OutputReader::pop() {
  while (!turns_.empty()) {
    std::deque<Key>& turn = turns_.begin()->second;
    if (turn.empty()) {
      turns_.erase(turns_.begin());
      continue;
    }
    const Key key = turn.front();
    turn.pop_front();
    lanes_.at(key).queued = false;
    return key;
  }
  return std::nullopt;
}

OutputRead OutputReader::next() {
  const std::optional<Key> key = pop();
  if (!key) return {};
  Lane& lane = lanes_.at(*key);
  for (auto& [stream, source] : lane.sources) {
    if (begin(source)) continue;
    enqueue(*key, lane);
    return {OutputRead::Kind::working, {}, {}, 0};
  }
  waiting_.erase(*key);
  std::optional<Next> next = choose(*key, lane);
  if (!next && waiting_.contains(*key)) return {OutputRead::Kind::working, {}, {}, 0};
  if (!next) return rest(*key, lane);
  lane.waits_at.reset();
  Source& source = *next->source;
  lane.latest = source.what.stream;
  if (times_ && lane.order && next->time == TimePoint()) date(*next);
  const uint64_t before = source.offset;
  OutputRead read = in_place_ ? point(*next) : this->read(*next);
  // The bytes cannot be read. If the rank goes on, the next change tries again.
  const bool stuck = source.offset == before;
  if (stuck && lane.ended) source.offset = next->end;
  if (!stuck || lane.ended) enqueue(*key, lane);
  return read;
}

// While a rank goes on, no byte is shown before its order is recorded: else its place would depend on when a reader looked. Empty:
// there are no bytes, or they wait for their order.
std::optional<OutputReader::Next> OutputReader::choose(const Key& key, Lane& lane) {
  std::map<OutputStream, uint64_t> sizes;
  bool grew = false;
  for (const auto& [stream, source] : lane.sources) {
    sizes[stream] = files_.size(source.what.path);
    grew = grew || sizes[stream] > source.offset;
  }
  if (!grew) return std::nullopt;
  if (!lane.order) {
    const auto& [stream, size] = *sizes.begin();
    return Next{&lane.sources.at(stream), size, TimePoint()};
  }
  const uint64_t out = sizes[OutputStream::out];
  const uint64_t err = sizes[OutputStream::err];
  const bool alone = lane.sources.size() == 1;
  if (alone && !times_) return choose_unordered(lane, out, err);
  if (auto next = choose_in_order(lane, out, err)) {
    lane.unordered = false;
    return next;
  }
  if (lane.ended || lane.unordered || !lane.order->recorded(files_)) return choose_unordered(lane, out, err);
  waiting_.insert(key);
  return std::nullopt;
}

// `out`, `err`: the sizes.
std::optional<OutputReader::Next> OutputReader::choose_in_order(Lane& lane, uint64_t out, uint64_t err) {
  // A stream that is not shown counts as shown.
  const auto shown = [&](OutputStream stream) {
    const auto source = lane.sources.find(stream);
    return source == lane.sources.end() ? UINT64_MAX : source->second.offset;
  };
  const auto piece = lane.order->next(files_, shown(OutputStream::out), shown(OutputStream::err), times_);
  if (!piece) return std::nullopt;
  const uint64_t end = std::min(piece->end, piece->stream == OutputStream::out ? out : err);
  if (end <= shown(piece->stream)) return std::nullopt;
  return Next{&lane.sources.at(piece->stream), end, piece->time};
}

OutputReader::Next OutputReader::choose_unordered(Lane& lane, uint64_t out, uint64_t err) {
  const auto has = [&](OutputStream stream) {
    const auto source = lane.sources.find(stream);
    return source != lane.sources.end() && (stream == OutputStream::out ? out : err) > source->second.offset;
  };
  const bool out_first = has(OutputStream::out) && (lane.latest == OutputStream::err || !has(OutputStream::err));
  return out_first ? Next{&lane.sources.at(OutputStream::out), out, TimePoint()}
                   : Next{&lane.sources.at(OutputStream::err), err, TimePoint()};
}

// Bytes that no record of the order has have the time of the index, which is up to 1 s later.
void OutputReader::date(Next& next) {
  const OutputSource& what = next.source->what;
  const OutputSizes sizes = sizes_beyond(files_, times_path(what.path), what.stream, next.source->offset);
  if (sizes.time == TimePoint()) return;
  next.time = sizes.time;
  next.end = std::min(next.end, size_of(sizes, what.stream));
}

void OutputReader::lose_patience() {
  for (const Key& key : std::set<Key>(waiting_)) {
    Lane& lane = lanes_.at(key);
    uint64_t shown = 0;
    for (const auto& [stream, source] : lane.sources) shown += source.offset;
    lane.unordered = lane.waits_at == shown;
    lane.waits_at = shown;
    if (lane.unordered) enqueue(key, lane);
  }
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

// The next bytes before `end`, after dropped ones, which read as zeros.
Result<std::string> OutputReader::read_kept(Source& source, uint64_t end) {
  while (true) {
    Result<std::string> bytes =
        files_.read(source.what.path, source.offset, std::min<uint64_t>(minus(end, source.offset), kChunk));
    if (!bytes.ok() || bytes->empty() || !skip_dropped(source)) return bytes;
  }
}

OutputRead OutputReader::read(const Next& next) {
  Source& source = *next.source;
  Result<std::string> bytes = read_kept(source, next.end);
  if (!bytes.ok() || bytes->empty()) return {OutputRead::Kind::working, {}, {}, 0};
  OutputRead read{OutputRead::Kind::chunk, {}, {}, std::exchange(source.dropped, 0)};
  read.chunk = {
      {source.what.attempt, source.what.index, source.what.stream, source.offset}, std::move(*bytes), next.time};
  source.offset += read.chunk.bytes.size();
  return read;
}

OutputRead OutputReader::point(const Next& next) {
  Source& source = *next.source;
  skip_dropped(source);
  const uint64_t length = std::min(minus(next.end, source.offset), kSpan);
  if (length == 0) return {OutputRead::Kind::working, {}, {}, 0};
  OutputRead read{OutputRead::Kind::span, {}, {}, std::exchange(source.dropped, 0)};
  read.span = {
      {source.what.attempt, source.what.index, source.what.stream, source.offset}, length, source.what.path, next.time};
  source.told = true;
  source.offset += length;
  return read;
}

// Nothing to read for now. A requested start is reported even without bytes: a viewer that loses its controller continues from there
// with the next one.
OutputRead OutputReader::rest(const Key& key, Lane& lane) {
  for (auto& [stream, source] : lane.sources) {
    const bool chosen = source.what.start.tail_lines || source.what.start.since;
    if (!in_place_ || !chosen || std::exchange(source.told, true)) continue;
    enqueue(key, lane);
    OutputRead read{OutputRead::Kind::span, {}, {}, 0};
    read.span = {{source.what.attempt, source.what.index, stream, source.offset}, 0, source.what.path, TimePoint()};
    return read;
  }
  // A program may truncate its own output; its next bytes are then before this offset.
  for (auto& [stream, source] : lane.sources) {
    if (!lane.ended) source.offset = std::min(source.offset, files_.size(source.what.path));
    if (lane.ended) by_path_.erase(source.what.path);
  }
  if (lane.ended && lane.order) by_path_.erase(lane.order->path());
  if (lane.ended) lanes_.erase(key);
  return {OutputRead::Kind::working, {}, {}, 0};
}

}  // namespace muster
