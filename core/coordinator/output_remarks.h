// SPDX-License-Identifier: Apache-2.0
// OutputRemarks: notes for the user about a job's output, each made once: dropped output (logs.max) and output that could not be
// stored (a full disk). Pure.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/journal/journal_codec.h"
#include "core/port/agent_messages.h"

namespace muster {

class OutputRemarks {
 public:
  // Returns the new sentences for a node's report. Dropped output is noted when the first bytes are dropped, and again with the
  // sum when the rank has ended.
  std::vector<std::string> heard(const Submission& submission, const Report& report);

 private:
  std::map<std::pair<Attempt, uint32_t>, uint64_t> dropped_;  // bytes already noted, by attempt and rank
  std::set<std::string> troubles_;
};

}  // namespace muster
