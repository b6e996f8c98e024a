// SPDX-License-Identifier: Apache-2.0
// Trace: the events of a story as a table for people: time, node, event, action, sentence.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "core/base/time.h"

namespace muster::sim {

struct TraceRow {
  Duration at{0};  // true time since the story began
  std::string node;
  std::string event;
  std::string action;
  std::string sentence;
};

class Trace {
 public:
  void add(TraceRow row);
  void print(std::ostream& out) const;

 private:
  std::vector<TraceRow> rows_;
};

}  // namespace muster::sim
