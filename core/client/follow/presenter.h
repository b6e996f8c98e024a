// Presenter: how a followed job is shown: text_presenter.h for people, json_presenter.h for programs. Loop thread only.
#pragma once

#include <string>

#include "core/port/control_messages.h"

namespace muster {

class Presenter {
 public:
  virtual ~Presenter() = default;
  virtual void event(const JobEvent& event) = 0;
  virtual void view(const JobView& job) = 0;
  virtual void output(const OutputChunk& chunk) = 0;
  // muster's own words about the job, one sentence.
  virtual void remark(const std::string& sentence) = 0;
  // A signal came from the terminal, which may have echoed `^C` where the next words would stand.
  virtual void interrupted() {}
  // A question that a key answers; it stays in sight until it is empty.
  virtual void ask(const std::string& /*question*/) {}
  // The last word; `job.done` tells whether it is the job's end or ours.
  virtual void end(const JobView& job) = 0;
};

}  // namespace muster
