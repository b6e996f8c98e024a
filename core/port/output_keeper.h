// OutputKeeper: what an agent does to the output files of its ranks besides letting them write (DESIGN.md §9.8):
// measure, note times beside them, drop the oldest bytes; and what is done to the copy of them that a coordinator has. Not for readers: those see output_files.h. Loop thread
// only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace muster {

class OutputKeeper {
 public:
  virtual ~OutputKeeper() = default;

  // 0 when there is no file.
  virtual uint64_t size(const std::string& path) const = 0;

  // Appends `bytes` in one write; makes the file (0600) when it is missing.
  virtual Status append(const std::string& path, std::string_view bytes) = 0;

  // Gives the bytes before `offset` back to the disk, rounded down to whole blocks; size and offsets stay. Returns
  // where the bytes now begin. unimplemented: this file system cannot (NFS before 4.2).
  virtual Result<uint64_t> drop_before(const std::string& path, uint64_t offset) = 0;

  // Its bytes begin at `offset`, which is its size: all before is dropped, or never was here. Makes the file when it is missing.
  virtual Status begin_at(const std::string& path, uint64_t offset) = 0;

  // Removes a rank's output by the path of one of its files: both streams and what lies beside them by the rank's name; and the folders of
  // attempt and job when nothing is left in them. What is not there is no trouble.
  virtual void remove_rank(const std::string& path) = 0;
};

}  // namespace muster
