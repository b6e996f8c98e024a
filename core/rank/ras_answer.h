// What NCCL's RAS answers to a question for its status (docs of NCCL, "RAS"): JSON from 2.28.7 on, before that text for people. Pure.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

struct RasAnswer {
  std::set<int64_t> processes;         // of the job that answers; of a text: none are known
  std::vector<std::string> sentences;  // what is not as it should be; at most 4
};

// Which ranks NCCL does not reach, which have launched fewer collectives than the others of their communicator, which report an error.
// Nonsense: nothing.
RasAnswer read_ras_json(std::string_view json);

// What stands below `Errors` and `Warnings`.
RasAnswer read_ras_text(std::string_view text);

}  // namespace muster
