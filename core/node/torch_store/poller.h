// SPDX-License-Identifier: Apache-2.0
// Poller: epoll, level-triggered. One thread.
#pragma once

#include <sys/epoll.h>

#include "core/system/posix/unique_fd.h"

namespace muster::tcpstore {

class Pollable {
 public:
  virtual ~Pollable() = default;
  // `events` as epoll_wait returns them. The object must outlive the turn in which it is removed.
  virtual void ready(uint32_t events) = 0;
};

class Poller {
 public:
  Poller() : fd_(epoll_create1(EPOLL_CLOEXEC)) {}
  bool valid() const { return fd_.valid(); }

  void add(int fd, uint32_t events, Pollable& what) { control(EPOLL_CTL_ADD, fd, events, &what); }
  void change(int fd, uint32_t events, Pollable& what) { control(EPOLL_CTL_MOD, fd, events, &what); }
  void remove(int fd) { control(EPOLL_CTL_DEL, fd, 0, nullptr); }

  // Waits at most `milliseconds` (-1: for ever), calls ready() of each ready object and `after_each` after each call.
  // False: none was ready.
  template <typename AfterEach>
  bool turn(int milliseconds, AfterEach after_each) {
    epoll_event events[256];
    const int count = epoll_wait(fd_.get(), events, 256, milliseconds);
    for (int i = 0; i < count; ++i) {
      static_cast<Pollable*>(events[i].data.ptr)->ready(events[i].events);
      after_each();
    }
    return count > 0;
  }

 private:
  void control(int operation, int fd, uint32_t events, Pollable* what) {
    epoll_event event{};
    event.events = events;
    event.data.ptr = what;
    epoll_ctl(fd_.get(), operation, fd, &event);
  }

  UniqueFd fd_;
};

}  // namespace muster::tcpstore
