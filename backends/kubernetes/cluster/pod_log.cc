// SPDX-License-Identifier: Apache-2.0
#include "backends/kubernetes/cluster/pod_log.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "backends/kubernetes/pod/log_record.h"
#include "core/client/follow/output_printer.h"

namespace muster {

namespace {

// Removes the mark of stream_mark() from the end of `name` and returns its meaning.
OutputPosition without_mark(std::string_view& name) {
  OutputPosition at{1, 0, OutputStream::out, 0};
  for (const auto& [word, stream] : {std::pair(" err", OutputStream::err), std::pair(" setup", OutputStream::setup)}) {
    if (!name.ends_with(word)) continue;
    name.remove_suffix(std::string_view(word).size());
    at.stream = stream;
  }
  const size_t mark = name.rfind(" #");
  if (mark == std::string_view::npos) return at;
  const std::string_view number = name.substr(mark + 2);
  const auto read = std::from_chars(number.data(), number.data() + number.size(), at.attempt);
  if (read.ec == std::errc() && read.ptr == number.data() + number.size()) name = name.substr(0, mark);
  return at;
}

}  // namespace

PodLog::PodLog(const JobView& job) {
  for (const RankView& rank : job.ranks) {
    const std::string label = rank_label(rank.name);
    width_ = std::max(width_, label.size());
    labels_[label] = rank.index;
  }
  sentence_.kind = "log";
  sentence_.state = job.state;
  sentence_.attempt = 1;
}

std::vector<FollowItem> PodLog::take(std::string_view bytes) {
  constexpr size_t kLongest = 1 << 20;
  std::vector<FollowItem> items;
  begun_ += bytes;
  size_t begin = 0;
  for (size_t end = begun_.find('\n'); end != std::string::npos; end = begun_.find('\n', begin)) {
    take_line(std::string_view(begun_).substr(begin, end + 1 - begin), items);
    begin = end + 1;
  }
  begun_.erase(0, begin);
  if (begun_.size() > kLongest) take_line(std::exchange(begun_, ""), items);
  return items;
}

std::vector<FollowItem> PodLog::rest() {
  std::vector<FollowItem> items;
  if (!begun_.empty()) take_line(std::exchange(begun_, ""), items);
  return items;
}

// Labels are padded to the widest.
std::optional<OutputPosition> PodLog::writer_of(std::string_view line, std::string_view& words) const {
  const size_t end = line.starts_with('[') ? line.find(']') : std::string_view::npos;
  if (end == std::string_view::npos) return std::nullopt;
  std::string_view name = line.substr(1, end - 1);
  OutputPosition at = without_mark(name);
  const auto found = labels_.find("[" + std::string(name) + "]");
  if (found == labels_.end()) return std::nullopt;
  at.index = found->second;
  words = line.substr(end + 1);
  for (size_t blank = end; blank < std::max(width_, end + 1) && words.starts_with(' '); ++blank) words.remove_prefix(1);
  return at;
}

void PodLog::take_line(std::string_view line, std::vector<FollowItem>& items) {
  if (pod::is_record_line(line)) return;
  std::string_view words;
  const auto writer = writer_of(line, words);
  if (!writer) {
    JobEvent event = sentence_;
    event.sentence = line.substr(0, line.find('\n'));
    if (!event.sentence.empty()) items.push_back({std::move(event)});
    return;
  }
  OutputChunk chunk{*writer, std::string(words)};
  uint64_t& offset = offsets_[{writer->attempt, writer->index, writer->stream}];
  chunk.position.offset = std::exchange(offset, offset + chunk.bytes.size());
  items.push_back({std::move(chunk)});
}

}  // namespace muster
