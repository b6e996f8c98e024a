// OutputRemarks: what people should know of a job's output, said once each: output that was dropped (logs.max) and
// output that could not be kept (a full disk). Pure.
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
  // The new sentences that a node's report gives cause for. Dropped output is told when it begins, and in sum when its
  // rank has ended.
  std::vector<std::string> heard(const Submission& submission, const Report& report);

 private:
  std::map<std::pair<Attempt, uint32_t>, uint64_t> dropped_;  // bytes already told, by attempt and rank
  std::set<std::string> troubles_;
};

}  // namespace muster
