// SPDX-License-Identifier: Apache-2.0
// TailScan: finds the start of the last lines of a file. It searches backwards, one block per step, so that a long search does not
// block the loop.
#pragma once

#include <cstdint>
#include <string>

#include "core/port/output_files.h"

namespace muster {

// The start of the line that contains the byte at `offset`, but not before `floor`. `offset` itself if the start is more than
// 64 KiB before it.
uint64_t line_start(OutputFiles& files, const std::string& path, uint64_t floor, uint64_t offset);

class TailScan {
 public:
  // Searches the start of the last `lines` lines before `end`, but not before `floor`. A newline right before `end` belongs to the
  // last line.
  TailScan(std::string path, uint64_t floor, uint64_t end, uint64_t lines);

  // Reads one block. True: start() is final. If the file cannot be read, it is what was found so far.
  bool step(OutputFiles& files);

  uint64_t start() const { return start_; }

 private:
  bool found_in(const std::string& block, uint64_t begin);

  std::string path_;
  uint64_t floor_;
  uint64_t end_;
  uint64_t missing_;  // newlines still to be found
  uint64_t start_;    // the file was searched from here on
  bool done_;
};

}  // namespace muster
