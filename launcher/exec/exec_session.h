// SPDX-License-Identifier: Apache-2.0
// ExecSession: one run of `muster exec`: the program's streams, the terminal, signals, and the exit code. Loop thread only.
#pragma once

#include <memory>
#include <optional>

#include "launcher/exec/escape_line.h"
#include "launcher/exec/exec_viewer.h"
#include "launcher/follow/following.h"
#include "launcher/follow/keyboard.h"

namespace muster {

class ExecSession {
 public:
  // `start` names the job by its id. `reads`: the program reads our stdin.
  ExecSession(CommandContext& context, AsioLoop& loop, JobClient& client, ExecStart start, bool reads);

  // Blocks until the program has ended or the user leaves. Returns the exit code.
  int run(HeldSignals& signals);

 private:
  std::string typed(std::string_view bytes);
  void signalled(int number);
  void resize();
  void unread(int error);  // writing the program's output failed
  void leave(int code);
  void over(const ExecEnd& end);
  int explain(const ExecEnd& end);
  Result<JobView> settled();

  CommandContext& context_;
  AsioLoop& loop_;
  JobClient& client_;  // of the controller that hosts the job
  const ExecStart start_;
  const bool reads_;
  Keyboard keyboard_;
  EscapeLine escape_;
  bool interrupted_ = false;  // SIGINT was passed on once
  std::optional<ExecEnd> end_;
  std::optional<int> code_;
  std::unique_ptr<ExecViewer> viewer_;
};

}  // namespace muster
