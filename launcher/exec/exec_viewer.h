// SPDX-License-Identifier: Apache-2.0
// ExecViewer: the viewer's end of an exec process. Sends what it reads from our descriptor to the process, and writes the process's output
// to our descriptors, with flow control on both sides. The owner handles signals and terminals. Loop thread only.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/port/exec_channel.h"
#include "core/system/asio/fd_loop.h"
#include "launcher/exec/byte_ends.h"

namespace muster {

struct ViewerEnds {
  int in = 0;  // -1: no input
  int out = 1;
  int err = 2;  // -1: Handlers::errors gets it
};

class ExecViewer {
 public:
  struct Handlers {
    // Returns the bytes to send for the bytes that were read.
    std::function<std::string(std::string_view typed)> typed;
    // Once: the end of the exec process, after all its output was written. Without an exit status, `why` says why it is unknown.
    std::function<void(const ExecEnd& end)> over;
    // Once: writing to `out` or `err` failed (errno), for example because the reader has ended or the disk is full.
    std::function<void(int error)> broken;
    // Bytes of the process's stderr, if it has no descriptor.
    std::function<void(std::string_view bytes)> errors = {};
  };
  ExecViewer(FdLoop& loop, std::unique_ptr<ExecChannel> channel, const ViewerEnds& ends, Handlers handlers);
  ~ExecViewer();

  void resize(uint16_t rows, uint16_t columns) { channel_->send({0, ExecResize{rows, columns}}); }
  void signal(int number) { channel_->send({0, ExecSignal{number}}); }

 private:
  void read(std::string_view bytes);
  void received(const ExecFrame& frame);
  void print(const ExecBytes& bytes);
  void end(ExecEnd end);
  void settle();
  std::shared_ptr<ByteSink> sink(FdLoop& loop, int fd, ExecStream stream);

  const std::unique_ptr<ExecChannel> channel_;
  const Handlers handlers_;
  std::shared_ptr<ByteSource> in_;
  std::shared_ptr<ByteSink> out_;
  std::shared_ptr<ByteSink> err_;  // null: Handlers::errors
  std::optional<ExecEnd> end_;
  bool over_ = false;  // handlers_.over was called
};

}  // namespace muster
