// SPDX-License-Identifier: Apache-2.0
// TorchrunPresenter: shows a job like torchrun: the output of ranks, with a prefix only for --tee. Of muster's own messages it shows
// restarts, waits and failures. Loop thread only.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "core/client/follow/output_printer.h"
#include "core/client/follow/presenter.h"
#include "core/client/screen.h"
#include "core/port/loop.h"
#include "launcher/follow/failure_report.h"
#include "launcher/follow/rank_console.h"
#include "launcher/torchrun/filtered_copies.h"
#include "launcher/torchrun/output_rules.h"
#include "launcher/torchrun/rank_logs.h"

namespace muster {

// Fixed settings of the presenter.
struct TorchrunConsole {
  // The first rank of this host in an attempt. Only this host's ranks are shown, numbered from 0.
  std::function<uint32_t(Attempt)> first = [](Attempt) { return 0u; };
  size_t ranks = 1;
  const OutputRules& rules;
  RankLogs& logs;
  FilteredCopies& copies;
  Style out_style;
  Style err_style;
  Attempt since = 0;        // events of earlier attempts are not shown
  bool one_place = false;   // stdout and stderr are the same file or terminal
  bool one_stream = false;  // the only rank has a terminal: what it writes to stderr is in its stdout
  // Facts about the rank at fault other than its stderr: its error file, its log file.
  std::function<FailureFacts(const JobView& job)> facts;
};

class TorchrunPresenter final : public Presenter {
 public:
  TorchrunPresenter(Screen& screen, Loop& loop, TorchrunConsole console);
  void event(const JobEvent& event) override;
  void view(const JobView& job) override;
  void output(const OutputChunk& chunk) override;
  void remark(const std::string& sentence) override;
  void interrupted() override { printer_.echoed(); }
  void end(const JobView& job) override;

 private:
  bool whole_lines(const OutputPosition& at) const;
  void say(const std::string& text);
  std::string report(const JobView& job);

  Screen& screen_;
  const TorchrunConsole console_;
  OutputPrinter printer_;
  RankConsole ranks_;
  std::string name_;
};

}  // namespace muster
