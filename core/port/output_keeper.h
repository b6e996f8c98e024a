// SPDX-License-Identifier: Apache-2.0
// OutputKeeper: write access to output files (docs/design/output.md). An agent measures the files of its ranks, writes times
// beside them and drops their oldest bytes. A coordinator writes its copy of them. Readers use output_files.h. Loop thread only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace muster {

// Part of the message of resource_exhausted if only new files cannot be written.
constexpr std::string_view kNoInodes = "no inodes are left";

class OutputKeeper {
 public:
  virtual ~OutputKeeper() = default;

  // 0 if there is no file.
  virtual uint64_t size(const std::string& path) const = 0;

  // Whether the disk of the file has a free block. resource_exhausted: none; the message names the folder.
  virtual Status room(const std::string& path) const = 0;

  // Creates the file (0600) and its folders if they are missing. resource_exhausted: no space, no inodes or no quota left;
  // the message says which.
  virtual Status create(const std::string& path) = 0;

  // Appends `bytes` in one write; creates the file (0600) and the attempt's folder if they are missing.
  virtual Status append(const std::string& path, std::string_view bytes) = 0;

  // Frees the disk blocks before `offset`, rounded down to whole blocks; size and offsets stay. Returns where the bytes now
  // begin. unimplemented: this file system cannot do it (NFS before 4.2).
  virtual Result<uint64_t> drop_before(const std::string& path, uint64_t offset) = 0;

  // Sets size and first byte to `offset`: all earlier bytes are dropped, or were never here. Creates the file if it is missing.
  virtual Status begin_at(const std::string& path, uint64_t offset) = 0;

  // Removes a rank's output, given the path of one of its files: both streams and the files beside them with the rank's name.
  // Removes the folders of attempt and job if they are empty then. Missing files are no error.
  virtual void remove_rank(const std::string& path) = 0;
};

}  // namespace muster
