// Whatever a rank writes into its lane, the agent stays within its own memory.
#include <cstring>

#include "core/base/check.h"
#include "core/base/lane.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static muster::LaneMemory memory;
  std::memset(static_cast<void*>(&memory), 0, sizeof memory);
  muster::LaneOfAgent agent(memory);
  char room[muster::kLaneRoom];
  for (constexpr size_t kWords = 2 * sizeof(uint32_t); size >= kWords; data += kWords, size -= kWords) {
    uint32_t words[2];
    std::memcpy(words, data, sizeof words);
    memory.rank.count = words[0];
    memory.rank.size = words[1];
    if (agent.look() != muster::LaneOfAgent::Found::question) continue;
    memory.rank.size = words[1] * 3;  // it writes on
    MUSTER_CHECK(agent.take(room) <= sizeof room);
    if (words[1] % 2 == 0) static_cast<void>(agent.answer(words[1] % muster::kLaneRoom));
  }
  return 0;
}
