// SPDX-License-Identifier: Apache-2.0
// ByteSource and ByteSink: the viewer's ends of an exec process's streams. A source reads from a descriptor, a sink writes to one. They do
// not block, do not make the descriptor non-blocking, and do not close it. Loop thread only. Must be owned by a shared_ptr, because they
// post work to the loop.
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
  // `bytes` gets the bytes read, at most as many as allow() permits, in later turns. Empty means the end, once.
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
    std::function<void(size_t)> taken;  // number of bytes written
    std::function<void(int)> broken;    // errno, once. Later bytes are dropped and not reported as taken
    std::function<void()> drained;      // the queue is empty
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
