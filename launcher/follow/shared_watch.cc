// SPDX-License-Identifier: Apache-2.0
#include "launcher/follow/shared_watch.h"

#include <poll.h>
#include <sys/epoll.h>

#include "core/system/posix/unique_fd.h"

namespace muster {
namespace {

// An epoll descriptor can itself be watched (epoll(7)), and only that one is made non-blocking.
class SharedWatch final : public LoopWatch {
 public:
  SharedWatch(UniqueFd epoll, std::unique_ptr<LoopWatch> watch) : epoll_(std::move(epoll)), watch_(std::move(watch)) {}

 private:
  const UniqueFd epoll_;
  const std::unique_ptr<LoopWatch> watch_;  // destroyed before epoll_
};

}  // namespace

std::unique_ptr<LoopWatch> watch_shared(FdLoop& loop, int fd, Ready what, std::function<void()> ready) {
  UniqueFd epoll(epoll_create1(EPOLL_CLOEXEC));
  epoll_event event{};
  event.events = what == Ready::to_read ? EPOLLIN : EPOLLOUT;
  if (!epoll.valid() || epoll_ctl(epoll.get(), EPOLL_CTL_ADD, fd, &event) != 0) return nullptr;
  auto watch = loop.watch_readable(epoll.get(), std::move(ready));
  if (!watch) return nullptr;
  return std::make_unique<SharedWatch>(std::move(epoll), std::move(watch));
}

bool is_ready(int fd, Ready what) {
  pollfd asked{fd, static_cast<short>(what == Ready::to_read ? POLLIN : POLLOUT), 0};
  return poll(&asked, 1, 0) > 0;
}

}  // namespace muster
