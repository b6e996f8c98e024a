// SPDX-License-Identifier: Apache-2.0
#include "core/node/mpi/mpi_program_search.h"

#include <mutex>
#include <thread>
#include <utility>

#include "core/system/posix/signals_blocked.h"

namespace muster {

// Lets a search reach the loop, which may be destroyed before it ends.
struct MpiProgramSearch::Gate {
  std::mutex mutex;  // mutex: the loop ends on its own thread, the search on another; held while posting
  Loop* loop = nullptr;
};

MpiProgramSearch::MpiProgramSearch(Loop& loop) : loop_(loop), gate_(std::make_shared<Gate>()) { gate_->loop = &loop; }

MpiProgramSearch::~MpiProgramSearch() {
  const std::lock_guard lock(gate_->mutex);
  gate_->loop = nullptr;
}

void MpiProgramSearch::find(const std::string& world, const SpawnRequest& request, Found found) {
  if (world == world_ && program_) return found(*program_);
  if (world == world_) return waiting_.push_back(std::move(found));
  world_ = world;
  program_.reset();
  waiting_ = {std::move(found)};
  const SignalsBlocked blocked;
  std::thread([this, gate = gate_, world, request] {
    const MpiProgram program = mpi_program(request);
    const std::lock_guard lock(gate->mutex);
    if (gate->loop == nullptr) return;
    gate->loop->post([this, gate, world, program] {
      if (gate->loop != nullptr) take(world, program);
    });
  }).detach();
}

void MpiProgramSearch::take(const std::string& world, const MpiProgram& program) {
  if (world != world_) return;
  program_ = std::make_unique<MpiProgram>(program);
  for (const Found& found : std::exchange(waiting_, {})) found(program);
}

}  // namespace muster
