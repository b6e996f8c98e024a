// WorkerLane: the agent's end of a lane (core/base/lane.h): memory of the agent's making, whose size nobody can change,
// lent to a rank through its socket. Nobody else has it, and it goes with the last of the two. Loop thread only.
#pragma once

#include <memory>
#include <string_view>

#include "core/base/lane.h"
#include "core/system/posix/unique_fd.h"

namespace muster {

class WorkerLane {
 public:
  // Null: the kernel gives none.
  static std::unique_ptr<WorkerLane> make();
  ~WorkerLane();
  WorkerLane(const WorkerLane&) = delete;
  WorkerLane& operator=(const WorkerLane&) = delete;

  // Sends `frame` with the memory, once. False: the socket did not take it.
  bool lend(int socket, std::string_view frame);

  LaneOfAgent& end() { return end_; }
  // The answer is in the lane's room, or comes by the socket; a rank that sleeps is woken.
  void answer(size_t size);
  void answer_on_socket();

 private:
  WorkerLane(LaneMemory& memory, UniqueFd file) : memory_(&memory), file_(std::move(file)), end_(memory) {}
  void wake();

  LaneMemory* memory_;
  UniqueFd file_;  // until it was lent
  LaneOfAgent end_;
};

}  // namespace muster
