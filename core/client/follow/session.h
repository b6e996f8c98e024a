// Session: one job followed by one person or script, from the first item to an exit code: shows what comes, and
// does what signals and keys ask for. Loop thread only.
#pragma once

#include <csignal>
#include <functional>
#include <memory>
#include <string>

#include "core/client/follow/follower.h"
#include "core/client/follow/interrupt.h"
#include "core/client/follow/presenter.h"
#include "core/client/view/style.h"

namespace muster {

struct SessionRules {
  InterruptMode mode = InterruptMode::run;
  bool interactive = false;  // somebody can answer a question
  bool propagate = false;    // exit with the first failing rank's code
  bool forward = false;      // ranks get the signal that came, not SIGTERM
  Style style = {};          // for commands that are told of
  bool exit_as_job = true;   // false: how the job ended is none of our exit code's business (logs, events)
};

class Session final : public FollowListener {
 public:
  // `ask` runs with true when keys are wanted, with false when no more; `done` once, last, with the exit code.
  struct Hooks {
    std::function<void(bool)> ask;
    std::function<void(int)> done;
    std::function<void(const JobView&)> viewed = {};  // each newer one
  };

  // `job` as far as it is known; its id names it from here on. `files`: where output is read; null: it comes as bytes.
  Session(Loop& loop, std::shared_ptr<ControlClient> client, Follower::Connect connect, NearFiles* files, JobView job,
          SessionRules rules, Presenter& presenter, Hooks hooks);
  ~Session() override;

  void start(FollowRequest request);

  // SIGINT, SIGTERM, SIGHUP; others are ignored.
  void signal(int number);
  // A key typed while the question stands.
  void key(char typed);
  // Nobody reads our stdout any more: what SIGHUP would do. Who was to follow a job to its end, and did not, exits with 141.
  void reader_left();
  // Who shows it has no room now: no more comes until it is let go.
  void hold(bool held) { follower_.hold(held); }
  // Stdout takes no more, which was told: the end for who only looks. Who started the job waits for its end, whose code counts.
  void output_lost();

  ControlClient& client() { return follower_.client(); }
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
  InterruptAction owed_ = InterruptAction::none;  // a stop or kill that no controller has heard yet
  TimerId question_ = 0;
  bool asked_ = false;
  bool finished_ = false;
  bool unread_ = false;
  bool watching_events_ = false;
  int stop_signal_ = SIGTERM;  // what ranks get
  Follower follower_;
};

}  // namespace muster
