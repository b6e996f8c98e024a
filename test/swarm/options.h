// SPDX-License-Identifier: Apache-2.0
// The command line of swarm.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "test/swarm/cut.h"

namespace muster::sim {

struct SwarmOptions {
  uint64_t first = 1;
  uint64_t last = 0;
  uint64_t step = 1;    // every step-th seed, so that several processes can share the seeds
  double seconds = 0;   // 0: no limit
  bool single = false;  // --seed
  bool trace = false;
  bool shrink = false;
  bool twice = false;
  bool report = false;  // numbers for scripts/swarm
  bool stop = false;    // at the first failure
  bool help = false;
  Cut cut;
};

extern const char* const kSwarmHelp;

// invalid_argument: the message names the unknown option.
Result<SwarmOptions> swarm_options(int argc, char** argv);

}  // namespace muster::sim
