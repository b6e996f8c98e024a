// SPDX-License-Identifier: Apache-2.0
// OutputRetention: maintains the output files of ranks at each heartbeat. It records the sizes beside them (time_index.h) and
// enforces `logs.max` by freeing the disk space of the oldest bytes.
//
// Between two heartbeats a file may exceed the limit by the bytes that its rank writes in 1 s. Loop thread only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/output/time_index.h"
#include "core/port/output_files.h"
#include "core/port/output_keeper.h"

namespace muster {

// The new start of a file with `size` bytes that now starts at `kept`. Unchanged while it has at most `max` bytes (0: no limit).
// Otherwise 7/8 of `max` remain, so that bytes are dropped rarely.
uint64_t keep_from(uint64_t size, uint64_t kept, uint64_t max);

struct RetainedOutput {
  uint32_t index = 0;  // rank
  std::string out_path;
  std::string err_path;  // empty: none (tty)
};

struct DroppedOutput {
  uint32_t index = 0;
  OutputStream stream = OutputStream::out;
  uint64_t bytes = 0;  // this time
  uint64_t total = 0;  // of this file, so far
  bool operator==(const DroppedOutput&) const = default;
};

class OutputRetention {
 public:
  // `max_bytes` per file; 0: no limit.
  OutputRetention(OutputKeeper& keeper, uint64_t max_bytes) : keeper_(keeper), max_bytes_(max_bytes) {}

  // Sets the files of a new attempt. Those of earlier attempts are no longer maintained.
  void begin(const std::vector<RetainedOutput>& outputs);
  // Adds the files of one rank; no effect if the rank is known.
  void add(const RetainedOutput& output);

  struct Beat {
    std::vector<DroppedOutput> dropped;
    std::vector<std::string> troubles;  // sentences about problems; each is reported once for a file
  };
  // Call it every second, and once more after the ranks have ended.
  Beat beat(TimePoint now);

 private:
  struct File {
    std::string path;
    uint64_t size = 0;
    uint64_t kept = 0;   // offset of its first byte
    bool capped = true;  // false if the file system cannot drop bytes
  };
  struct Retained {
    uint32_t index = 0;
    File out;
    File err;
    bool noted = true;  // false after a record was lost: later records would be misplaced
    bool told_no_room = false;
  };

  bool measure(File& file) const;
  void note(Retained& retained, TimePoint now, Beat& beat);
  void look_for_room(Retained& retained, const std::string& times, Beat& beat);
  void cap(Retained& retained, OutputStream stream, Beat& beat);

  OutputKeeper& keeper_;
  const uint64_t max_bytes_;
  std::vector<Retained> retained_;
};

}  // namespace muster
