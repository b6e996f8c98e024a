// SPDX-License-Identifier: Apache-2.0
// Session: a command that follows one job, from the first item to an exit code. It shows the items and acts on signals
// and keys. While a question is open, it shows no items, so that nothing overdraws the question. Loop thread only.
#pragma once

#include <csignal>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/client/follow/follower.h"
#include "core/client/follow/interrupt.h"
#include "core/client/follow/presenter.h"
#include "core/client/view/style.h"

namespace muster {

struct SessionRules {
  InterruptMode mode = InterruptMode::run;
  bool interactive = false;  // a question can be asked
  bool propagate = false;    // exit with the code of the first rank that failed
  bool forward = false;      // send ranks the signal that was received instead of SIGTERM
  Style style = {};          // for commands in messages
  bool exit_as_job = true;   // false: the exit code does not depend on the job's result (logs, events)
};

class Session final : public FollowListener {
 public:
  // `ask(true)`: a question was asked, read keys; `ask(false)`: it is over. `done`: called once, last, with the exit code.
  struct Hooks {
    std::function<void(bool)> ask;
    std::function<void(int)> done;
    std::function<void(const JobView&)> viewed = {};  // called with each new view
    std::function<bool()> question_is_seen = {};      // the question is on the screen; unset: it always is
  };

  // `job`: the current view; its id identifies the job. `files`: reads output files; null: the stream contains all bytes.
  Session(Loop& loop, std::shared_ptr<JobClient> client, Follower::Connect connect, NearFiles* files, JobView job,
          SessionRules rules, Presenter& presenter, Hooks hooks);
  ~Session() override;

  void start(FollowRequest request);

  // SIGINT, SIGTERM, SIGHUP; others are ignored.
  void signal(int number);
  // A key was typed while the question is open.
  void key(char typed);
  // The reader of our stdout has closed it. Acts as SIGHUP. A command that should have followed the job to its end exits
  // with 141.
  void reader_left();
  // Flow control: while held, no new items are presented.
  void hold(bool held);
  // Stdout cannot be written (an error was printed). A command that only looks ends. A command that started the job
  // waits for the end of the job, for its exit code.
  void output_lost();

  JobClient& client() { return follower_.client(); }
  const JobView& job() const { return job_; }

  void on_event(const JobEvent& event) override;
  void on_view(const JobView& view) override;
  void on_output(const OutputChunk& chunk) override;
  void on_remark(const std::string& sentence) override;
  void on_end(const Status& status) override;

  static constexpr Duration patience = std::chrono::seconds(5);

 private:
  void act(InterruptAction action);
  void ask();
  void answer(InterruptEvent event);
  void answer_at(TimePoint time);
  void watch_for_end();
  void look_again();
  void end_question();
  void show(std::function<void()> item);
  void stop(bool kill);
  void detach();
  void finish(int exit_code);
  int job_code() const;

  Loop& loop_;
  const SessionRules rules_;
  Presenter& presenter_;
  const Hooks hooks_;
  JobView job_;
  Interrupts interrupts_;
  InterruptAction owed_ = InterruptAction::none;  // a stop or kill that no controller has received yet
  TimerId question_ = 0;
  std::unique_ptr<JobClient::Following> look_;  // the job's views, while the question is open
  bool asked_ = false;
  bool held_ = false;                           // hold(true) was called
  std::vector<std::function<void()>> waiting_;  // items that came while the question was open
  bool finished_ = false;
  bool unread_ = false;
  bool watching_events_ = false;
  int stop_signal_ = SIGTERM;  // the signal for ranks
  Follower follower_;
};

}  // namespace muster
