// SPDX-License-Identifier: Apache-2.0
// LogChoice: selects the lines of a coordinator's log that a viewer asked for, like FollowSession does with a controller. Pure.
//
// Limits by time are applied by the cluster, which knows the time of each line (`kubectl logs --since-time`).
#pragma once

#include <map>
#include <vector>

#include "core/port/control_messages.h"

namespace muster {

class LogChoice {
 public:
  // `job`: the job whose log it is. `events`: its events, if known; they then replace the sentences in the log.
  LogChoice(const FollowRequest& request, const JobView& job, std::vector<JobEvent> events);

  // Selects from these items. If a tail is asked for, returns nothing before shows().
  std::vector<FollowItem> take(std::vector<FollowItem> items);
  // The log's present end was reached: returns the tail, in order. Later items are returned by take() at once.
  std::vector<FollowItem> shows();
  // The events that were not returned yet.
  std::vector<FollowItem> rest();

 private:
  bool is_wanted(const OutputPosition& at) const;
  void take_sentence(FollowItem item, std::vector<FollowItem>& shown);
  void tell_up_to(size_t end, std::vector<FollowItem>& shown);

  const FollowRequest request_;
  std::map<uint32_t, Attempt> first_;  // by rank: its attempt when the first requested attempt began
  std::vector<JobEvent> events_;
  size_t next_event_ = 0;
  bool waits_ = false;  // a tail is asked for, and the log's end was not reached
  std::vector<FollowItem> held_;
};

}  // namespace muster
