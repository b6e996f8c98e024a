// A lane: memory that a rank and its agent share, for short calls: a question and its answer, one at a time. Both are
// messages of worker.proto without the length in front. The rank writes the one half and the agent the other; each
// counts what it wrote, so a question is open while the counts differ by one.
//
// Who has nothing to do says that it sleeps and looks once more; who has written then looks whether the other sleeps.
// One of the two sees the other (all four are sequentially consistent), so no call is lost. How a sleeper is woken is
// its keeper's business: the agent by an empty frame on the socket, the rank by a futex on the agent's count.
//
// The agent believes nothing that it reads there: the rank's program may have written anything, at any time. Pure: no
// system calls, no memory of its own. Each end: one thread at a time; the memory outlives both.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace muster {

constexpr uint32_t kLaneLayout = 1;  // of LaneMemory
constexpr size_t kLaneHalf = 4096;
// The longest question and the longest answer; longer ones go by the socket.
constexpr size_t kLaneRoom = kLaneHalf - 3 * sizeof(uint32_t);

struct alignas(kLaneHalf) LaneHalf {
  std::atomic<uint32_t> count;   // of what was written here
  std::atomic<uint32_t> size;    // of the last
  std::atomic<uint32_t> sleeps;  // 1: its writer wants to be woken
  char bytes[kLaneRoom];
};

// Begins as zeros, but for the agent's `sleeps`.
struct LaneMemory {
  LaneHalf rank;
  LaneHalf agent;
};
static_assert(sizeof(LaneMemory) == 2 * kLaneHalf && std::atomic<uint32_t>::is_always_lock_free);

class LaneOfRank {
 public:
  explicit LaneOfRank(LaneMemory& memory) : memory_(&memory) {}

  // At most kLaneRoom bytes, once the question before was answered. True: the agent sleeps and is to be woken.
  bool ask(std::string_view question);
  bool answered() const { return missed() == 0; }
  // Until the next question. Nothing: it comes by the socket.
  std::optional<std::string_view> answer() const;

  // Before sleeping until count() is no longer `seen`. False: it is answered already.
  bool begin_to_sleep(uint32_t& seen);
  void end_sleep() { memory_->rank.sleeps.store(0, std::memory_order_relaxed); }
  std::atomic<uint32_t>& count() { return memory_->agent.count; }

 private:
  // How many questions are open. The count of questions is kept in the lane alone: a child of fork() that asks, which
  // it should not, leaves it right for its parent.
  uint32_t missed() const;

  LaneMemory* memory_;
};

class LaneOfAgent {
 public:
  // Memory that is zero.
  explicit LaneOfAgent(LaneMemory& memory) : memory_(&memory) { memory_->agent.sleeps.store(1); }

  // nonsense: no rank that keeps to this writes so.
  enum class Found { nothing, question, nonsense };
  // Whether there is a question that was not taken yet.
  Found look() const;
  // Copies it to `room`, of kLaneRoom bytes, and returns its size. After look() said that there is one.
  size_t take(char* room);

  // Of kLaneRoom bytes, for the answer to what was taken.
  char* room() { return memory_->agent.bytes; }
  // The answer is there, of `size` bytes. True: the rank sleeps and is to be woken.
  bool answer(size_t size);
  // It comes by the socket, or is there already.
  bool answer_on_socket();

  // False: a question came meanwhile; the agent is awake.
  bool begin_to_sleep();
  void end_sleep() { memory_->agent.sleeps.store(0, std::memory_order_relaxed); }
  std::atomic<uint32_t>& count() { return memory_->agent.count; }

 private:
  bool tell(uint32_t size);

  LaneMemory* memory_;
  uint32_t taken_ = 0;
  bool open_ = false;  // what was taken is not answered yet
};

}  // namespace muster
