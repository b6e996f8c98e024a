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
#include "launcher/mpirun/mpirun_output.h"
#include "launcher/torchrun/whole_lines.h"

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
  ~MpirunPresenter() override;
  void event(const JobEvent& event) override;
  void view(const JobView& job) override;
  void output(const OutputChunk& chunk) override;
  void remark(const std::string& sentence) override;
  void interrupted() override { printer_.echoed(); }
  void end(const JobView& job) override;

 private:
  bool whole_lines(OutputStream stream) const;
  void keep_tail(const OutputChunk& chunk);
  void write(const std::vector<WholeLines::Piece>& pieces);
  void wait_for_silence();
  void say(const std::string& text);
  std::string report(const JobView& job);

  Screen& screen_;
  Loop& loop_;
  MpirunOutput& output_;
  const MpirunConsole console_;
  OutputPrinter printer_;
  WholeLines lines_;
  std::string name_;
  Attempt newest_ = 0;
  std::map<uint32_t, std::string> tails_;  // the end of stderr of each rank
  uint32_t last_stderr_ = 0;               // the rank that wrote to stderr last
  TimerId silence_ = 0;
};

}  // namespace muster
