#include "core/base/lane.h"

#include <algorithm>
#include <cstring>

#include "core/base/check.h"

namespace muster {
namespace {

constexpr uint32_t kOnSocket = UINT32_MAX;  // for a size

}  // namespace

uint32_t LaneOfRank::missed() const {
  return memory_->rank.count.load(std::memory_order_relaxed) - memory_->agent.count.load(std::memory_order_seq_cst);
}

bool LaneOfRank::ask(std::string_view question) {
  MUSTER_CHECK(question.size() <= kLaneRoom);
  LaneHalf& mine = memory_->rank;
  std::memcpy(mine.bytes, question.data(), question.size());
  mine.size.store(static_cast<uint32_t>(question.size()), std::memory_order_relaxed);
  mine.count.store(mine.count.load(std::memory_order_relaxed) + 1, std::memory_order_seq_cst);
  return memory_->agent.sleeps.load(std::memory_order_seq_cst) != 0;
}

std::optional<std::string_view> LaneOfRank::answer() const {
  const uint32_t size = memory_->agent.size.load(std::memory_order_relaxed);
  if (size > kLaneRoom) return std::nullopt;
  return std::string_view(memory_->agent.bytes, size);
}

bool LaneOfRank::begin_to_sleep(uint32_t& seen) {
  memory_->rank.sleeps.store(1, std::memory_order_seq_cst);
  seen = memory_->agent.count.load(std::memory_order_seq_cst);
  return seen != memory_->rank.count.load(std::memory_order_relaxed);
}

LaneOfAgent::Found LaneOfAgent::look() const {
  const uint32_t asked = memory_->rank.count.load(std::memory_order_seq_cst);
  if (asked == taken_) return Found::nothing;
  const bool sane = asked == taken_ + 1 && !open_ && memory_->rank.size.load(std::memory_order_relaxed) <= kLaneRoom;
  return sane ? Found::question : Found::nonsense;
}

size_t LaneOfAgent::take(char* room) {
  // Once more a limit: it may have been written since.
  const size_t size = std::min<size_t>(memory_->rank.size.load(std::memory_order_relaxed), kLaneRoom);
  std::memcpy(room, memory_->rank.bytes, size);
  ++taken_;
  open_ = true;
  return size;
}

bool LaneOfAgent::tell(uint32_t size) {
  open_ = false;
  memory_->agent.size.store(size, std::memory_order_relaxed);
  memory_->agent.count.store(taken_, std::memory_order_seq_cst);
  return memory_->rank.sleeps.load(std::memory_order_seq_cst) != 0;
}

bool LaneOfAgent::answer(size_t size) { return tell(static_cast<uint32_t>(size)); }

bool LaneOfAgent::answer_on_socket() { return tell(kOnSocket); }

bool LaneOfAgent::begin_to_sleep() {
  memory_->agent.sleeps.store(1, std::memory_order_seq_cst);
  if (memory_->rank.count.load(std::memory_order_seq_cst) == taken_) return true;
  end_sleep();
  return false;
}

}  // namespace muster
