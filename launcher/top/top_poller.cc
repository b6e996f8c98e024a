// SPDX-License-Identifier: Apache-2.0
#include "launcher/top/top_poller.h"

#include "core/system/posix/signals_blocked.h"

namespace muster {
TopPoller::TopPoller(Loop& loop, Connect connect, Duration interval, Handlers handlers)
    : loop_(loop),
      connect_(std::move(connect)),
      interval_(interval),
      handlers_(std::make_shared<std::optional<Handlers>>(std::move(handlers))) {
  const SignalsBlocked blocked;
  thread_ = std::thread([this] { work(); });
}

TopPoller::~TopPoller() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  woken_.notify_one();
  thread_.join();
  handlers_->reset();
}

void TopPoller::stop(const JobId& job) {
  {
    const std::lock_guard lock(mutex_);
    to_stop_ = job;
  }
  woken_.notify_one();
}

void TopPoller::work() {
  while (true) {
    ask();
    std::optional<JobId> job;
    {
      std::unique_lock lock(mutex_);
      woken_.wait_for(lock, interval_, [this] { return ending_ || to_stop_; });
      if (ending_) return;
      job = std::exchange(to_stop_, std::nullopt);
    }
    if (job) obey(*job);
  }
}

void TopPoller::ask() {
  if (!client_) {
    auto connected = connect_();
    if (!connected.ok()) return tell([why = connected.status()](const Handlers& handlers) { handlers.gone(why); });
    client_ = std::move(*connected);
  }
  auto jobs = client_->list({.all = false, .measure = true});
  if (jobs.ok()) return tell([jobs = std::move(*jobs)](const Handlers& handlers) { handlers.jobs(jobs); });
  client_.reset();
  tell([why = jobs.status()](const Handlers& handlers) { handlers.gone(why); });
}

void TopPoller::obey(const JobId& job) {
  const Status done =
      client_ ? client_->stop(job.text(), SIGTERM, Duration(-1)) : Status(Code::unavailable, "there is no controller");
  tell([done](const Handlers& handlers) { handlers.stopped(done); });
}

void TopPoller::tell(std::function<void(const Handlers&)> what) {
  loop_.post([handlers = handlers_, what = std::move(what)] {
    if (*handlers) what(**handlers);
  });
}

}  // namespace muster
