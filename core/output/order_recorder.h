// SPDX-License-Identifier: Apache-2.0
// OrderRecorder: the agent's part of the order of stdout and stderr (order_index.h). It watches the output files of the ranks of an
// attempt. The kernel puts each write to either file into one queue, so a look knows the turns of the streams, how often each was
// written to, and the sizes at the end. It splits the bytes of a stream into its turns by lines (turn_ends). A rank that writes while it
// is measured is measured again, for at most 50 ms: only then are the sizes those of the writes.
//
// If a record cannot be written, nothing more is recorded for that rank: readers then show its output without a known order. Loop
// thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/output/order_index.h"
#include "core/output/output_retention.h"
#include "core/port/loop.h"

namespace muster {

class OrderRecorder {
 public:
  // The order file of rank `index` at `path` has grown, and begins at `kept`.
  using Written = std::function<void(uint32_t index, const std::string& path, uint64_t kept)>;
  OrderRecorder(Loop& loop, OutputFiles& files, OutputKeeper& keeper, Written written);
  ~OrderRecorder();

  // Begins with the files of a new attempt, and records no more for earlier ones.
  void begin(const std::vector<RetainedOutput>& outputs);
  // Looks at once. Of the ranks in `ended` it records lines without an end too. Call it before their ends are reported.
  void catch_up(const std::vector<uint32_t>& ended);

 private:
  struct Turn {
    OutputStream stream = OutputStream::out;
    uint32_t writes = 0;
  };
  struct Rank {
    uint32_t index = 0;
    std::string out_path;
    std::string err_path;  // empty: none
    std::string order_path;
    OutputSizes last;         // as far as it is recorded
    OutputSizes now;          // what this look has found
    std::vector<Turn> turns;  // since the last look
    bool touched = false;     // has new bytes, since `since`
    TimePoint since;
    bool unnamed = false;  // has writes that the kernel did not name, because its queue was full
    bool settled = false;  // `now` has exactly the bytes of `turns`
    OutputSizes cut;       // sizes that end within a line, and when they were first seen
    uint64_t size = 0;     // of the order file
    uint64_t kept = 0;
    bool records = true;
  };
  void grew(const std::vector<std::string>& paths);
  void note(const std::string& path);
  void touch(Rank& rank);
  bool has_grown(const Rank& rank) const;
  bool measure();
  void look(const std::vector<uint32_t>& ended = {});
  void finish(const std::vector<uint32_t>& ended = {});
  bool has_part_of_a_write(Rank& rank);
  bool ends_within_line(const Rank& rank, OutputStream stream);
  void leave_cut_line(Rank& rank, OutputStream stream);
  void record(Rank& rank);
  std::vector<uint64_t> split(const Rank& rank, OutputStream stream) const;
  void append(Rank& rank, const std::string& records);

  Loop& loop_;
  OutputFiles& files_;
  OutputKeeper& keeper_;
  const Written written_;
  std::vector<Rank> ranks_;
  std::map<std::string, std::pair<size_t, OutputStream>> by_path_;
  std::vector<size_t> touched_;
  bool looking_ = false;
  TimerId next_look_ = 0;
  std::unique_ptr<OutputWatch> watch_;
};

}  // namespace muster
