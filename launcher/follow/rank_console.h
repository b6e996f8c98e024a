// SPDX-License-Identifier: Apache-2.0
// RankConsole: what presenters that print the ranks' own lines share: WholeLines on the screen, whose unfinished lines are written when
// the ranks are silent, and the end of each rank's stderr. Loop thread only.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/client/screen.h"
#include "core/port/control_messages.h"
#include "core/port/loop.h"
#include "launcher/follow/whole_lines.h"

namespace muster {

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

  // The end of the rank's stderr.
  std::string tail_of(uint32_t rank) const;
  // Whether the rank was the last one that printed to stderr.
  bool printed_last(uint32_t rank) const { return last_ == rank; }

 private:
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
