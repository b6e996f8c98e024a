// The viewer's own ends of a exec's streams: what is read from one of its descriptors, and what is written to one. Neither blocks,
// nor makes the descriptor non-blocking, nor closes it. Loop thread only; owned by a shared_ptr, for they post turns.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/system/asio/fd_loop.h"

namespace muster {

enum class Ready;  // shared_watch.h

class ByteSource : public std::enable_shared_from_this<ByteSource> {
 public:
  // `bytes`: in turns of their own, as far as allowed; empty: the end, once.
  ByteSource(FdLoop& loop, int fd, std::function<void(std::string_view bytes)> bytes)
      : loop_(loop),
        fd_(fd),
        bytes_(std::move(bytes)) {}

  void allow(size_t bytes);
  void close();

 private:
  template <typename End>
  friend void wait_until_ready(End& end, Ready what, void (End::*go_on)());

  void arm();
  void pump();

  FdLoop& loop_;
  const int fd_;
  std::function<void(std::string_view)> bytes_;
  size_t allowed_ = 0;
  bool turn_due_ = false;
  std::unique_ptr<LoopWatch> watch_;
};

class ByteSink : public std::enable_shared_from_this<ByteSink> {
 public:
  struct Handlers {
    std::function<void(size_t)> taken;  // bytes that were written
    std::function<void(int)> broken;    // errno; once. What is written later is dropped, and never told as taken
    std::function<void()> drained;      // nothing is queued any more
  };
  ByteSink(FdLoop& loop, int fd, Handlers handlers) : loop_(loop), fd_(fd), handlers_(std::move(handlers)) {}

  void write(std::string_view bytes);
  bool empty() const { return queue_.empty(); }
  void close();

 private:
  template <typename End>
  friend void wait_until_ready(End& end, Ready what, void (End::*go_on)());

  void arm();
  void flush();

  FdLoop& loop_;
  const int fd_;
  Handlers handlers_;
  std::string queue_;
  bool broken_ = false;
  bool turn_due_ = false;
  std::unique_ptr<LoopWatch> watch_;
};

}  // namespace muster
