// SPDX-License-Identifier: Apache-2.0
// TerminalSide: the terminal of a followed job: the question after Ctrl-C, and keys and window size for the rank that has a terminal.
// Loop thread only.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/client/follow/presenter.h"
#include "core/client/follow/session.h"
#include "core/job/caller_streams.h"
#include "core/system/asio/asio_loop.h"
#include "launcher/cli/command.h"
#include "launcher/follow/keyboard.h"

namespace muster {

class TerminalSide {
 public:
  // `tty_rank`: all keys go to this rank, Ctrl-C too. `window`: the job's only rank has a terminal of this kind; Ctrl-C and Ctrl-Z
  // remain signals of this command.
  TerminalSide(CommandContext& context, AsioLoop& loop, Presenter& presenter, std::optional<uint32_t> tty_rank,
               std::optional<CallerWindow> window)
      : context_(context),
        loop_(loop),
        presenter_(presenter),
        tty_rank_(tty_rank),
        window_(window) {}

  // Call it once, before anything else.
  void attach(Session& session);
  // Shows the question and reads the answer, or removes it.
  void ask(bool wanted);
  // Whether the question has been written to the terminal.
  bool question_is_seen() const { return !context_.screen.waits(); }

 private:
  void attach_window();
  void pass_keys();
  void suspend();
  void show_question();
  void typed();
  void relay(const std::string& keys);
  void send(const std::string& bytes);
  void watch_keys();

  CommandContext& context_;
  AsioLoop& loop_;
  Presenter& presenter_;
  const std::optional<uint32_t> tty_rank_;
  const std::optional<CallerWindow> window_;
  Session* session_ = nullptr;
  bool asking_ = false;
  TimePoint answer_by_;
  TimerId countdown_ = 0;
  Keyboard keyboard_;
  LeaveKeys leave_keys_;
  std::unique_ptr<LoopWatch> keys_;
  std::unique_ptr<LoopWatch> resized_;
  std::unique_ptr<LoopWatch> suspended_;
  std::unique_ptr<LoopWatch> continued_;
};

}  // namespace muster
