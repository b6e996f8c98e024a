// SPDX-License-Identifier: Apache-2.0
// TextPresenter: shows a followed job as text, on a terminal or in a file. Loop thread only.
#pragma once

#include <string>
#include <vector>

#include "core/client/follow/output_printer.h"
#include "core/client/follow/presenter.h"
#include "core/client/screen.h"
#include "core/client/view/style.h"

namespace muster {

struct TextChoice {
  OutputChoice output;
  bool events = true;      // the job's decisions, its start and end
  TimePoint events_after;  // earlier events are not shown (attach)
  std::string start_note;  // added to the start line; may be empty
};

class TextPresenter final : public Presenter {
 public:
  TextPresenter(Screen& screen, Style out_style, Style err_style, TextChoice choice);
  void event(const JobEvent& event) override;
  void view(const JobView& job) override;
  void output(const OutputChunk& chunk) override;
  void remark(const std::string& sentence) override;
  void interrupted() override { printer_.echoed(); }
  void ask(const std::string& question) override;
  void end(const JobView& job) override;

 private:
  void introduce(const JobView& job);
  void say(const std::string& text);
  void show_progress(const JobView& job);
  bool worth_telling(const JobEvent& event) const;

  Screen& screen_;
  const Style style_;
  const TextChoice choice_;
  OutputPrinter printer_;
  std::string name_;
  std::string waits_for_;
  std::string question_;  // shown instead of the progress until it is answered
  bool started_ = false;
  Attempt attempt_ = 0;          // the newest attempt with shown output
  std::vector<double> history_;  // of the first metric
};

}  // namespace muster
