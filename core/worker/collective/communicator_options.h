// What a communicator is asked to be.
#pragma once

#include <string>

#include "core/base/time.h"
#include "core/worker/collective/call.h"

namespace muster::worker {

struct CommunicatorOptions {
  std::string name = "world";
  Backend backend = Backend::automatic;
  Duration timeout = std::chrono::minutes(30);  // of opening and of each call
  void* stream = nullptr;                       // NCCL's
};

}  // namespace muster::worker
