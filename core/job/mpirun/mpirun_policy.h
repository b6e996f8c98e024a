// SPDX-License-Identifier: Apache-2.0
// The words of --map-by, --rank-by and --bind-to. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/base/result.h"
#include "core/job/mpirun/mpirun_flags.h"

namespace muster {

// Where ranks are placed, how they are numbered, and the CPUs that each one gets.
struct MpirunPolicy {
  enum class Fill {
    by_slot,     // each host up to its slots
    by_node,     // one rank on each host in turn
    per_object,  // `per` ranks on each `object` of each host
  };
  Fill fill = Fill::by_slot;
  uint32_t per = 0;
  std::string object = "node";  // node, socket, numa, core, hwthread
  bool cyclic = false;          // ranks are numbered over the hosts in turn
  uint32_t cores = 0;           // of each rank, reserved and bound; 0: not bound
  bool threads = false;         // `cores` counts hardware threads
  bool overload = false;        // ranks may share CPUs, so they are not bound if there are too few
  bool oversubscribe = false;
  bool hardware_threads = false;
  std::string note;  // what of the policy has no effect; empty: nothing
};

// `environment`: of the command, for MCA parameters such as OMPI_MCA_rmaps_base_oversubscribe. invalid_argument: a policy is unknown;
// unimplemented: muster cannot place ranks so. The message names the flag, and the advice follows the last semicolon.
Result<MpirunPolicy> mpirun_policy(const MpirunFlags& flags, const std::map<std::string, std::string>& environment);

}  // namespace muster
