// ExecSession: `muster exec` once the program is asked for: its streams, the terminal between, signals, and what it all comes to.
// Loop thread only.
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
  // `start` names the job by its id. `reads`: our stdin is the program's.
  ExecSession(CommandContext& context, AsioLoop& loop, ControlClient& client, ExecStart start, bool reads);

  // Blocks until the program has ended or we are to leave; the exit code.
  int run(HeldSignals& signals);

 private:
  std::string typed(std::string_view bytes);
  void signalled(int number);
  void resize();
  void unread(int error);  // of who reads what it prints
  void leave(int code);
  void over(const ExecEnd& end);
  int explain(const ExecEnd& end);
  Result<JobView> settled();

  CommandContext& context_;
  AsioLoop& loop_;
  ControlClient& client_;  // who hosts the job
  const ExecStart start_;
  const bool reads_;
  Keyboard keyboard_;
  EscapeLine escape_;
  bool interrupted_ = false;  // once
  std::optional<ExecEnd> end_;
  std::optional<int> code_;
  std::unique_ptr<ExecViewer> viewer_;
};

}  // namespace muster
