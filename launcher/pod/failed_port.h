// FailedPort: that somebody listens there says that the job has failed: the coordinator is ready then, as the cluster sees it. Loop
// thread only.
#pragma once

#include <memory>
#include <string>

#include "core/adapter/asio/fd_loop.h"
#include "core/adapter/asio/unique_fd.h"
#include "core/base/result.h"

namespace muster::pod {

class FailedPort {
 public:
  // At this numeric address, or wherever; connections are closed at once.
  static Result<std::unique_ptr<FailedPort>> open(FdLoop& loop, const std::string& address, uint16_t port);

 private:
  FailedPort(FdLoop& loop, UniqueFd door);
  UniqueFd door_;
  std::unique_ptr<LoopWatch> watch_;
};

}  // namespace muster::pod
