// Of what a coordinator's log has, that which a viewer wants: what FollowSession chooses where there is a controller. Pure.
//
// How far back a time lies is the cluster's to judge, which knows when each line came (`kubectl logs --since-time`).
#pragma once

#include <map>
#include <vector>

#include "core/port/control_messages.h"

namespace muster {

class LogChoice {
 public:
  // `job`: whose log it is. `events`: what happened to it, where that is known; then they are told in place of the log's sentences.
  LogChoice(const FollowRequest& request, const JobView& job, std::vector<JobEvent> events);

  // Of a tail, nothing before shows().
  std::vector<FollowItem> take(std::vector<FollowItem> items);
  // What there is by now was taken: the tail of it, in its order. What is taken from here on is shown at once.
  std::vector<FollowItem> shows();
  // Events that are not told yet.
  std::vector<FollowItem> rest();

 private:
  bool is_wanted(const OutputPosition& at) const;
  void take_sentence(FollowItem item, std::vector<FollowItem>& shown);
  void tell_up_to(size_t end, std::vector<FollowItem>& shown);

  const FollowRequest request_;
  std::map<uint32_t, Attempt> first_;  // by rank: the attempt it was in when the first asked for began
  std::vector<JobEvent> events_;
  size_t next_event_ = 0;
  bool waits_ = false;  // for the end of what a tail is of
  std::vector<FollowItem> held_;
};

}  // namespace muster
