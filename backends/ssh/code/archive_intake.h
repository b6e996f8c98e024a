// SPDX-License-Identifier: Apache-2.0
// ArchiveIntake: unpacks a compressed archive from a stream into a folder, with gzip and tar, without blocking the loop. It limits the
// unpacked bytes, so that a host cannot fill this disk. Loop thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/client/caller_context.h"
#include "core/system/asio/fd_loop.h"
#include "core/system/asio/helper_process.h"
#include "core/system/posix/unique_fd.h"

namespace muster {

// Copies bytes from one stream to another, one block at a time. Both are non-blocking and belong to the caller.
class ByteStream {
 public:
  // `counts` gets the size of each block; if it returns false, copying ends. `ended` runs once: the source has ended, the destination
  // takes no more, or `counts` returned false.
  ByteStream(FdLoop& loop, int from, int to, std::function<bool(size_t)> counts, std::function<void()> ended);

 private:
  void read_some();
  void write_some();
  void end();

  FdLoop& loop_;
  const int from_;
  const int to_;
  const std::function<bool(size_t)> counts_;
  std::function<void()> ended_;
  std::string block_;
  size_t written_ = 0;
  std::unique_ptr<LoopWatch> reads_;
  std::unique_ptr<LoopWatch> writes_;
};

class ArchiveIntake {
 public:
  struct Arrived {
    Status status;       // data_loss: the archive is incomplete; resource_exhausted: more than `most` bytes
    uint64_t bytes = 0;  // unpacked bytes
  };
  // `most` limits the unpacked bytes. `done` runs once, in a later turn; the object must live until then.
  ArchiveIntake(FdLoop& loop, const CallerContext& caller, std::string folder, uint64_t most,
                std::function<void(const Arrived&)> done);
  // Starts to read the archive from `stream`. Call once.
  void begin(UniqueFd stream);

 private:
  std::unique_ptr<HelperProcess> start(const std::string& name, const std::vector<std::string>& arguments,
                                       std::function<void(const HelperEnd&)> ended);
  bool count(size_t bytes);
  void pass_over();
  void unpacked(const HelperEnd& end);
  void finish(const Status& status);

  FdLoop& loop_;
  const CallerContext& caller_;
  const std::string folder_;
  const uint64_t most_;
  std::function<void(const Arrived&)> done_;
  uint64_t bytes_ = 0;
  std::optional<HelperEnd> tar_end_;
  std::optional<HelperEnd> gzip_end_;
  UniqueFd stream_;
  UniqueFd packed_;  // stdin of gzip
  UniqueFd plain_;   // stdout of gzip; a duplicate of packed_, which is a socket
  UniqueFd tar_in_;
  std::unique_ptr<HelperProcess> gzip_;
  std::unique_ptr<HelperProcess> tar_;
  std::unique_ptr<ByteStream> first_;
  std::unique_ptr<ByteStream> second_;
  std::unique_ptr<LoopWatch> rest_;
};

// The default limit for unpacking below `folder`, in bytes: the free space, minus a reserve of a tenth of it and at most 1 GiB.
uint64_t room_for_arrivals(const std::string& folder);

}  // namespace muster
