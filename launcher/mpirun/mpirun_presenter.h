// SPDX-License-Identifier: Apache-2.0
// MpirunPresenter: shows a job like mpirun: the output of ranks, with the labels of --tag-output or --prepend-rank. Of muster's own
// messages it shows restarts, waits and the failure. Loop thread only.
#pragma once

#include <map>
#include <string>

#include "core/client/follow/output_printer.h"
#include "core/client/follow/presenter.h"
#include "core/client/screen.h"
#include "core/port/loop.h"
#include "launcher/follow/rank_console.h"
#include "launcher/mpirun/mpirun_output.h"

namespace muster {

// Fixed settings of the presenter.
struct MpirunConsole {
  size_t ranks = 1;
  bool quiet = false;
  bool verbose = false;
  Style out_style;
  Style err_style;
  bool one_place = false;   // stdout and stderr are the same file or terminal
  bool one_stream = false;  // the only rank has a terminal: what it writes to stderr is in its stdout
};

class MpirunPresenter final : public Presenter {
 public:
  MpirunPresenter(Screen& screen, Loop& loop, MpirunOutput& output, MpirunConsole console);
  void event(const JobEvent& event) override;
  void view(const JobView& job) override;
  void output(const OutputChunk& chunk) override;
  void remark(const std::string& sentence) override;
  void interrupted() override { printer_.echoed(); }
  void end(const JobView& job) override;

 private:
  bool whole_lines(OutputStream stream) const;
  void say(const std::string& text);
  std::string report(const JobView& job);

  Screen& screen_;
  MpirunOutput& output_;
  const MpirunConsole console_;
  OutputPrinter printer_;
  RankConsole ranks_;
  std::string name_;
};

}  // namespace muster
