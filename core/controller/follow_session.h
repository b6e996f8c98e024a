// SPDX-License-Identifier: Apache-2.0
// FollowSession: sends the events, state and output of one job to one viewer, no faster than the viewer reads them.
//
// Output of ranks is sent before the events about it, and the job's end is sent last. Loop thread only.
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

// A job that runs here (`live`), or one that was read from its journal (`cold`): it has ended, or another process hosts it
// (run --standalone).
struct FollowedJob {
  JobId id;
  std::shared_ptr<Coordinator> live;
  std::shared_ptr<JobFold> cold;
  std::function<Result<std::shared_ptr<JobFold>>()> read_again;  // set with `cold`

  const JobFold& fold() const { return live ? live->fold() : *cold; }
  JobView view() const { return live ? live->view() : cold->view(); }
  // Whether the job's files hold all output that they ever will.
  bool has_output() const { return !live || live->has_output(); }
  // A job that has ended is shown as unfinished while its end is only in memory.
  bool may_tell_end() const { return !live || live->may_tell_end(); }
  bool prints_no_more(const BegunAttempt& attempt) const {
    return fold().is_over(attempt) && (!live || live->has_output(attempt));
  }
};

class FollowSession {
 public:
  // `over` is called once, when the stream has ended or the viewer has disconnected. The session may then be destroyed in a later
  // turn of the loop.
  FollowSession(Loop& loop, OutputFiles& files, FollowedJob job, const FollowRequest& request,
                std::unique_ptr<FollowSink> sink, std::function<void()> over);
  ~FollowSession();

  const JobId& job() const { return job_.id; }

  // Call it to begin, and after every change of the job. New items are sent in a later turn of the loop.
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
  void wait_for_order();
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
  const Attempt first_newest_;  // the newest attempt when the viewer connected; later ones are shown from their start
  uint64_t next_event_;
  JobView shown_;
  bool view_due_ = false;
  bool full_ = false;  // the viewer's window is full
  bool pump_due_ = false;
  TimerId look_timer_ = 0;
  TimerId order_timer_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
