// ExecViewer: a viewer's side of a exec: what comes in on one of our descriptors goes to it, what it prints to others, as far as
// each side has room. What becomes of signals and terminals is its owner's business. Loop thread only.
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
  int in = 0;  // -1: nothing comes in
  int out = 1;
  int err = 2;
};

class ExecViewer {
 public:
  struct Handlers {
    // What was read, as it is to be sent. May change it, or leave.
    std::function<std::string(std::string_view typed)> typed;
    // Once: the exec's end, after all that it printed was written; or without one, why nobody knows it.
    std::function<void(const ExecEnd& end)> over;
    // Once: our reader on `out` or `err` is gone, or its disk full (errno).
    std::function<void(int error)> broken;
  };
  ExecViewer(FdLoop& loop, std::unique_ptr<ExecChannel> channel, const ViewerEnds& ends, Handlers handlers);
  ~ExecViewer();

  void resize(uint16_t rows, uint16_t columns) { channel_->send({0, ExecResize{rows, columns}}); }
  void signal(int number) { channel_->send({0, ExecSignal{number}}); }

 private:
  void read(std::string_view bytes);
  void heard(const ExecFrame& frame);
  void obey(const ExecBytes& bytes);
  void end(ExecEnd end);
  void settle();
  std::shared_ptr<ByteSink> sink(FdLoop& loop, int fd, ExecStream stream);

  const std::unique_ptr<ExecChannel> channel_;
  const Handlers handlers_;
  std::shared_ptr<ByteSource> in_;
  std::shared_ptr<ByteSink> out_;
  std::shared_ptr<ByteSink> err_;
  std::optional<ExecEnd> end_;
  bool over_ = false;  // and told
};

}  // namespace muster
