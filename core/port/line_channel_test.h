// SPDX-License-Identifier: Apache-2.0
// For tests: an ExecChannel that notes what is sent over it. The test plays the other end.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "core/port/exec_channel.h"

namespace muster {

// The frames that were sent, and the handlers.
struct Line {
  std::vector<ExecFrame> seen;
  std::function<void(const ExecFrame&)> say;
  std::function<void(const Status&)> close;
  bool gone = false;  // the channel was destroyed
};

class LineChannel final : public ExecChannel {
 public:
  explicit LineChannel(Line& line) : line_(line) {}
  ~LineChannel() override { line_.gone = true; }
  void send(const ExecFrame& frame) override { line_.seen.push_back(frame); }
  void listen(std::function<void(const ExecFrame&)> say, std::function<void(const Status&)> close) override {
    line_.say = std::move(say);
    line_.close = std::move(close);
  }

 private:
  Line& line_;
};

}  // namespace muster
