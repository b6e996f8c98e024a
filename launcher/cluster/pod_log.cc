#include "launcher/cluster/pod_log.h"

#include <utility>

#include "launcher/follow/output_printer.h"

namespace muster {

PodLog::PodLog(const JobView& job) : alone_(job.ranks.size() <= 1) {
  for (const RankView& rank : job.ranks) labels_[rank_label(rank.name)] = rank.index;
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

void PodLog::take_line(std::string_view line, std::vector<FollowItem>& items) {
  uint32_t index = 0;
  std::string_view words = line;
  if (!alone_) {
    const size_t end = line.starts_with('[') ? line.find(']') : std::string_view::npos;
    const auto found = end == std::string_view::npos ? labels_.end() : labels_.find(line.substr(0, end + 1));
    if (found == labels_.end()) {
      JobEvent event = sentence_;
      event.sentence = line.substr(0, line.find('\n'));
      if (!event.sentence.empty()) items.push_back({std::move(event)});
      return;
    }
    index = found->second;
    words = line.substr(end + 1);
    // Labels are as wide as the widest.
    size_t width = 0;
    for (const auto& [label, each] : labels_) width = std::max(width, label.size());
    for (size_t blank = end + 1; blank < width + 1 && words.starts_with(' '); ++blank) words.remove_prefix(1);
  }
  OutputChunk chunk{{1, index, OutputStream::out, offsets_[index]}, std::string(words)};
  offsets_[index] += chunk.bytes.size();
  items.push_back({std::move(chunk)});
}

}  // namespace muster
