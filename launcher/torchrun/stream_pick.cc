// SPDX-License-Identifier: Apache-2.0
#include "launcher/torchrun/stream_pick.h"

#include <optional>
#include <vector>

#include "core/base/text.h"

namespace muster {
namespace {

constexpr unsigned kOut = 1;
constexpr unsigned kErr = 2;
constexpr size_t kLongestRank = 6;

std::optional<unsigned> streams_of(std::string_view text) {
  const bool right = text.size() == 1 && text[0] >= '0' && text[0] <= '3';
  return right ? std::optional(static_cast<unsigned>(text[0] - '0')) : std::nullopt;
}

std::optional<uint32_t> rank_of(const std::string& text) {
  const bool number = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  return number && text.size() <= kLongestRank ? std::optional(static_cast<uint32_t>(std::stoul(text))) : std::nullopt;
}

}  // namespace

Result<StreamPick> StreamPick::parse(const std::string& flag, const std::string& text) {
  StreamPick pick;
  if (const auto all = streams_of(text)) {
    pick.all_ = *all;
    return pick;
  }
  for (const std::string& part : split(text, ',')) {
    const size_t colon = std::min(part.find(':'), part.size());
    const auto rank = rank_of(part.substr(0, colon));
    const auto streams = streams_of(std::string_view(part).substr(std::min(colon + 1, part.size())));
    if (!rank || !streams) {
      return Status(Code::invalid_argument,
                    flag + " is 0, 1 (stdout), 2 (stderr) or 3 (both), or a list by local rank such as " +
                        "0:3,1:1; not `" + escaped(text) + "`");
    }
    pick.by_rank_[*rank] = *streams;
  }
  return pick;
}

unsigned StreamPick::of(uint32_t local_rank) const {
  const auto found = by_rank_.find(local_rank);
  return found == by_rank_.end() ? all_ : found->second;
}

bool StreamPick::has(uint32_t local_rank, OutputStream stream) const {
  return (of(local_rank) & (stream == OutputStream::out ? kOut : kErr)) != 0;
}

bool StreamPick::any(uint32_t ranks) const {
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    if (of(rank) != 0) return true;
  }
  return false;
}

std::string StreamPick::with(const StreamPick& other, uint32_t ranks) const {
  if (by_rank_.empty() && other.by_rank_.empty()) return std::to_string(all_ | other.all_);
  std::vector<std::string> parts;
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    parts.push_back(std::to_string(rank) + ":" + std::to_string(of(rank) | other.of(rank)));
  }
  return join(parts, ",");
}

}  // namespace muster
