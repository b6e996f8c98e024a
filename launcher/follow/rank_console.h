// SPDX-License-Identifier: Apache-2.0
// RankConsole: prints the ranks' lines for `muster torchrun` and `muster mpirun`, and keeps the end of each rank's stderr. Unfinished
// lines are written when the ranks are silent. Loop thread only.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/client/screen.h"
#include "core/port/control_messages.h"
#include "core/port/loop.h"
#include "launcher/follow/failure_report.h"
#include "launcher/follow/whole_lines.h"

namespace muster {

// Whether an event says why the ranks of a job that has not ended restart or wait.
bool reports_delay(const JobEvent& event);

class RankConsole {
 public:
  // `one_place`: stdout and stderr are the same file. `one_stream`: stdout has the ranks' stderr too.
  RankConsole(Screen& screen, Loop& loop, bool one_place, bool one_stream)
      : screen_(screen),
        loop_(loop),
        one_stream_(one_stream),
        lines_(one_place) {}
  ~RankConsole() { loop_.cancel(silence_); }
  RankConsole(const RankConsole&) = delete;
  RankConsole& operator=(const RankConsole&) = delete;

  // Forgets what the ranks of an earlier attempt printed. Call it before keep_tail().
  void see(Attempt attempt);
  void keep_tail(const OutputChunk& chunk);
  void print(uint32_t rank, OutputStream stream, std::string_view bytes);

  // Writes all unfinished lines.
  void release() { write(lines_.release()); }
  // Call before writing anything else to stderr.
  void make_room() { write(lines_.make_room()); }

  // Adds the end of the stderr of the rank at fault. `shown`: its stderr is on the console.
  void add_evidence(uint32_t rank, bool shown, FailureFacts& facts) const;

 private:
  std::string tail_of(uint32_t rank) const;
  void write(const std::vector<WholeLines::Piece>& pieces);

  Screen& screen_;
  Loop& loop_;
  const bool one_stream_;
  WholeLines lines_;
  TimerId silence_ = 0;
  Attempt newest_ = 0;
  std::map<uint32_t, std::string> tails_;  // of the newest attempt
  uint32_t last_ = 0;
};

}  // namespace muster
