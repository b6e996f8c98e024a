// What ranks printed, out of a coordinator's log as `kubectl logs` gives it: lines with `[3] ` in front, or `[3 #2 err] ` of stderr in the
// second attempt (stream_mark), and muster's own sentences. For jobs whose coordinator has ended or may not be asked. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/port/control_messages.h"

namespace muster {

class PodLog {
 public:
  // Labels are those of `job`'s ranks.
  explicit PodLog(const JobView& job);

  // Bytes in their order, cut anywhere. What is whole of them: chunks, and sentences as events without a number.
  std::vector<FollowItem> take(std::string_view bytes);
  // What waits for its end of line.
  std::vector<FollowItem> rest();

 private:
  // Whose line it is; `words`: what stands behind the label.
  std::optional<OutputPosition> writer_of(std::string_view line, std::string_view& words) const;
  void take_line(std::string_view line, std::vector<FollowItem>& items);

  std::map<std::string, uint32_t, std::less<>> labels_;  // "[3]", "[trainer 0]" → index
  size_t width_ = 0;                                     // of the widest
  std::string begun_;
  std::map<std::tuple<Attempt, uint32_t, OutputStream>, uint64_t> offsets_;
  JobEvent sentence_;  // of each, the same but for its words
};

}  // namespace muster
