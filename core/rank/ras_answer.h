// SPDX-License-Identifier: Apache-2.0
// Reads the status report of NCCL's RAS (documentation of NCCL, "RAS"): JSON from 2.28.7 on, plain text before. Pure.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

struct RasAnswer {
  std::set<int64_t> processes;         // pids of the job that answers; empty for a plain text
  std::vector<std::string> sentences;  // the problems; at most 4
};

// Reports ranks that NCCL does not reach, ranks that have launched fewer collectives than others of their communicator,
// and ranks with errors. The answer is empty if the text is not valid.
RasAnswer read_ras_json(std::string_view json);

// Reports the sections `Errors` and `Warnings`.
RasAnswer read_ras_text(std::string_view text);

}  // namespace muster
