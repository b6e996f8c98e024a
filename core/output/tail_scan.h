// TailScan: finds where the last lines of a file begin, backwards, one block a step, so that a long search does
// not hold up the loop.
#pragma once

#include <cstdint>
#include <string>

#include "core/port/output_files.h"

namespace muster {

// Where the line begins that the byte at `offset` belongs to; `offset` itself when that is more than 64 KiB before
// it. Not before `floor`.
uint64_t line_start(OutputFiles& files, const std::string& path, uint64_t floor, uint64_t offset);

class TailScan {
 public:
  // The start of the last `lines` lines before `end`, not before `floor`. A newline right before `end` ends the
  // last line.
  TailScan(std::string path, uint64_t floor, uint64_t end, uint64_t lines);

  // Reads one block. True: start() is found. A file that cannot be read gives what was found so far.
  bool step(OutputFiles& files);

  uint64_t start() const { return start_; }

 private:
  bool found_in(const std::string& block, uint64_t begin);

  std::string path_;
  uint64_t floor_;
  uint64_t end_;
  uint64_t missing_;  // newlines still to be seen
  uint64_t start_;    // everything from here was looked at
  bool done_;
};

}  // namespace muster
