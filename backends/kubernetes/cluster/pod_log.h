// SPDX-License-Identifier: Apache-2.0
// PodLog: reads the output of ranks from a coordinator's log. Lines of a rank begin with its label, for example `[3] `, or `[3 #2 err] `
// for stderr in the second attempt (stream_mark); other lines are sentences of muster. For jobs whose coordinator has ended or may not be
// asked. Pure.
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
  // The labels are made from the ranks of `job`.
  explicit PodLog(const JobView& job);

  // Takes the log's next bytes, cut anywhere. Returns whole lines: output as chunks, sentences as events without a number.
  std::vector<FollowItem> take(std::string_view bytes);
  // The last line, if it has no newline.
  std::vector<FollowItem> rest();

 private:
  // The rank and stream of a line, if it has a known label; `words` becomes the text after the label.
  std::optional<OutputPosition> writer_of(std::string_view line, std::string_view& words) const;
  void take_line(std::string_view line, std::vector<FollowItem>& items);

  std::map<std::string, uint32_t, std::less<>> labels_;  // "[3]", "[trainer 0]" → index
  size_t width_ = 0;                                     // of the widest label
  std::string begun_;
  std::map<std::tuple<Attempt, uint32_t, OutputStream>, uint64_t> offsets_;
  JobEvent sentence_;  // template of the events for muster's sentences
};

}  // namespace muster
