// OutputRetention: what an agent does, each beat, to the output its ranks write: notes the sizes beside it
// (time_index.h) and holds each file to `logs.max` by giving its oldest bytes back to the disk.
//
// Between two beats a file may exceed the limit by what its rank writes in a second. Loop thread only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/output/time_index.h"
#include "core/port/output_files.h"
#include "core/port/output_keeper.h"

namespace muster {

// Where the bytes of a file should begin that is `size` long and begins at `kept`: unchanged while it holds at
// most `max` (0: no limit); else so that 7/8 of `max` stay, which keeps the dropping rare.
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

  // The files of a new attempt; those before are left as they are.
  void begin(const std::vector<RetainedOutput>& outputs);
  // One more; nothing where its rank is known.
  void add(const RetainedOutput& output);

  struct Beat {
    std::vector<DroppedOutput> dropped;
    std::vector<std::string> troubles;  // sentences, each trouble of a file once
  };
  // Once a second, and once more after the ranks have ended.
  Beat beat(TimePoint now);

 private:
  struct File {
    std::string path;
    uint64_t size = 0;
    uint64_t kept = 0;   // where its bytes begin
    bool capped = true;  // false after the file system refused
  };
  struct Retained {
    uint32_t index = 0;
    File out;
    File err;
    bool noted = true;  // false after a record was lost: one behind it would not be where it is looked for
  };

  bool measure(File& file) const;
  void note(Retained& retained, TimePoint now, Beat& beat);
  void cap(Retained& retained, OutputStream stream, Beat& beat);

  OutputKeeper& keeper_;
  const uint64_t max_bytes_;
  std::vector<Retained> retained_;
};

}  // namespace muster
