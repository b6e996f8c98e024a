// SPDX-License-Identifier: Apache-2.0
// Options of Communicator::open(); see muster_communicator_options.
#pragma once

#include <string>

#include "core/base/time.h"
#include "core/worker/collective/call.h"

namespace muster::worker {

struct CommunicatorOptions {
  std::string name = "world";
  Backend backend = Backend::automatic;
  Duration timeout = std::chrono::minutes(30);  // of opening and of each call
  void* stream = nullptr;                       // NCCL only; null: the communicator creates one
};

}  // namespace muster::worker
