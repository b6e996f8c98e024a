// SPDX-License-Identifier: Apache-2.0
// Presenter: shows a followed job. text_presenter.h is for people, json_presenter.h for programs. Loop thread only.
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
  // A note of muster about the job, one sentence.
  virtual void remark(const std::string& sentence) = 0;
  // Ctrl-C was pressed; the terminal may have echoed `^C` at the cursor.
  virtual void interrupted() {}
  // Shows a question that is answered by a key. Empty: removes the question.
  virtual void ask(const std::string& /*question*/) {}
  // The following ends. `job.done`: the job has ended; otherwise the command detaches.
  virtual void end(const JobView& job) = 0;
};

}  // namespace muster
