// Lane: the rank's end of the memory that its agent lent to a connection for short calls (core/base/lane.h). The socket
// stays: it wakes the agent, carries what is too long, and by its end says that the agent died. One thread at a time.
#pragma once

#include <memory>

#include "core/base/lane.h"
#include "core/base/result.h"
#include "core/base/time.h"

namespace muster::worker {

// What is there on `socket`, up to `most` bytes: how many. `memory`: of the file that came along, if one did, which is
// the caller's then.
size_t receive_lent(int socket, char* bytes, size_t most, int& memory);

class Lane {
 public:
  // `memory` is an open file, and stays the caller's. Null: it is not what an agent lends, or cannot be mapped.
  static std::unique_ptr<Lane> map(int memory);
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  ~Lane();

  // True: the agent is to be woken.
  bool ask(std::string_view question) { return end_.ask(question); }
  // What comes within `time`, without sleeping: whether it did.
  bool look(Duration time) const;
  enum class Waited { answered, late, hung_up };
  // Asleep, for at most `patience` (0: as long as it takes). That `socket` was closed is seen within a tenth of a
  // second.
  Waited wait(Duration patience, int socket);
  // Nothing: it comes by the socket. Until the next question.
  std::optional<std::string_view> answer() const { return end_.answer(); }

 private:
  explicit Lane(LaneMemory& memory) : memory_(&memory), end_(memory) {}

  LaneMemory* memory_;
  LaneOfRank end_;
};

}  // namespace muster::worker
