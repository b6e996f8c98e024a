// What ranks printed, out of a coordinator's log as `kubectl logs` gives it: lines with `[3] ` in front, and muster's own sentences.
// For jobs whose coordinator has ended or may not be asked. Attempts and streams are not told apart there. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/port/control_messages.h"

namespace muster {

class PodLog {
 public:
  // Labels are those of `job`'s ranks. Of one rank alone lines have none, and all are its own.
  explicit PodLog(const JobView& job);

  // Bytes in their order, cut anywhere. What is whole of them: chunks, and sentences as events without a number.
  std::vector<FollowItem> take(std::string_view bytes);
  // What waits for its end of line.
  std::vector<FollowItem> rest();

 private:
  void take_line(std::string_view line, std::vector<FollowItem>& items);

  std::map<std::string, uint32_t, std::less<>> labels_;  // "[3]", "[trainer 0]" → index
  bool alone_ = false;
  std::string begun_;
  std::map<uint32_t, uint64_t> offsets_;
  JobEvent sentence_;  // of each, the same but for its words
};

}  // namespace muster
