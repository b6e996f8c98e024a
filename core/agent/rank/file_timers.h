// SPDX-License-Identifier: Apache-2.0
// FileTimers: reads the timers that processes of an attempt's ranks set (TORCHELASTIC_TIMER_FILE), and calls its owner when one
// expires. The owner decides what follows. Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "core/agent/rank/rank_timers.h"
#include "core/port/loop.h"
#include "core/port/timer_pipe.h"

namespace muster {

struct FileTimersPorts {
  Loop& loop;
  TimerPipe& pipe;
};

class FileTimers {
 public:
  static constexpr const char* kFile = "TORCHELASTIC_TIMER_FILE";

  using OnExpired = std::function<void(const ExpiredTimer& timer)>;
  FileTimers(FileTimersPorts ports, OnExpired on_expired) : ports_(ports), on_expired_(std::move(on_expired)) {}
  ~FileTimers();
  FileTimers(const FileTimers&) = delete;
  FileTimers& operator=(const FileTimers&) = delete;

  // An attempt starts: all timers are removed. If the ranks' environment has TORCHELASTIC_ENABLE_FILE_TIMER=1, this opens a pipe
  // and returns its path, which the ranks get as TORCHELASTIC_TIMER_FILE. Otherwise the path is empty. `workdir`: the base of a
  // relative path in that variable. Fails if the pipe cannot be made; the ranks then have no file timers.
  Result<std::string> begin(const std::map<std::string, std::string>& environment, const std::string& workdir);

 private:
  void heard(std::string_view line, int64_t wall_nanos);
  void arm();
  void fired();
  void forget_ended();

  FileTimersPorts ports_;
  OnExpired on_expired_;
  RankTimers timers_;
  TimerId timer_ = 0;
};

}  // namespace muster
