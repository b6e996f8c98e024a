// ArchiveIntake: a compressed archive of files on its way into a folder, through gzip and tar, while the loop goes on. What is
// unpacked is counted, so that a host cannot fill this disk. Loop thread only.
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

// Bytes from one stream into another, a block at a time; both non-blocking, and the caller's.
class ByteStream {
 public:
  // `counts`: hears of each block; false: no more. `ended`: once, when nothing comes any more or nobody takes it.
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
    Status status;       // data_loss: it is not whole; resource_exhausted: it is more than `most`
    uint64_t bytes = 0;  // unpacked
  };
  // `done` runs once, in a later turn; we outlive it.
  ArchiveIntake(FdLoop& loop, const CallerContext& caller, std::string folder, uint64_t most,
                std::function<void(const Arrived&)> done);
  // What comes on `stream`, from now on. Once.
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
  UniqueFd packed_;  // into gzip …
  UniqueFd plain_;   // … and out of it, which is the same stream
  UniqueFd tar_in_;
  std::unique_ptr<HelperProcess> gzip_;
  std::unique_ptr<HelperProcess> tar_;
  std::unique_ptr<ByteStream> first_;
  std::unique_ptr<ByteStream> second_;
  std::unique_ptr<LoopWatch> rest_;
};

// What may be unpacked below `folder` when nobody says: what is free, but for a tenth of it and a GiB at the most.
uint64_t room_for_arrivals(const std::string& folder);

}  // namespace muster
