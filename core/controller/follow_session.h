// FollowSession: one viewer of one job: events, state and output, in an order that reads well, no faster than the
// viewer takes them.
//
// What ranks wrote goes before what muster says about it; the last word is the job's end. Loop thread only.
#pragma once

#include <functional>
#include <memory>

#include "core/coordinator/coordinator.h"
#include "core/journal/job_fold.h"
#include "core/output/output_reader.h"
#include "core/port/control.h"
#include "core/port/loop.h"
#include "core/port/output_files.h"

namespace muster {

// A job that runs here, or one read from its journal: it has ended, or another process hosts it (run --standalone).
struct FollowedJob {
  JobId id;
  std::shared_ptr<Coordinator> live;
  std::shared_ptr<JobFold> cold;
  std::function<Result<std::shared_ptr<JobFold>>()> read_again;  // of a cold one

  const JobFold& fold() const { return live ? live->fold() : *cold; }
  JobView view() const { return live ? live->view() : cold->view(); }
  // Whether its files hold all that they ever will.
  bool has_output() const { return !live || live->has_output(); }
  bool prints_no_more(const BegunAttempt& attempt) const {
    return fold().is_over(attempt) && (!live || live->has_output(attempt));
  }
};

class FollowSession {
 public:
  // `over` runs once, when the stream has ended or the viewer has left; the session may then be destroyed, in a later
  // turn.
  FollowSession(Loop& loop, OutputFiles& files, FollowedJob job, const FollowRequest& request,
                std::unique_ptr<FollowSink> sink, std::function<void()> over);
  ~FollowSession();

  const JobId& job() const { return job_.id; }

  // Begins, and after every change of the job: what is new is sent in a later turn.
  void job_changed();

 private:
  void pump_soon();
  void pump();
  void add_attempts();
  bool asked(const BegunAttempt& attempt) const;
  void add_attempt(size_t number);
  void end_attempts();
  std::vector<uint32_t> ranks_of(const BegunAttempt& attempt) const;
  bool send_output();
  bool send_events();
  bool send_view();
  void catch_up();
  void look_at_files();
  void look_again();
  void finish(const Status& status);
  bool output_finished() const;
  std::string rank_name_of(const OutputPosition& at) const;

  Loop& loop_;
  OutputFiles& files_;
  FollowedJob job_;
  const FollowRequest request_;
  std::unique_ptr<FollowSink> sink_;
  std::function<void()> over_;
  OutputReader reader_;
  // Attempts are counted as in JobFold::begun().
  std::map<size_t, std::unique_ptr<OutputWatch>> watches_;  // of attempts that may still print
  size_t next_attempt_ = 0;                                 // the first whose output was not added yet
  const Attempt first_newest_;  // when the viewer came: later attempts are shown from their start
  uint64_t next_event_;
  JobView shown_;
  bool view_due_ = false;
  bool full_ = false;  // the viewer's window
  bool pump_due_ = false;
  TimerId look_timer_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
