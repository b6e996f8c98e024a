// FailedPort: where the cluster's readiness probe asks whether the job has failed. The answer to a request waits until it has: the
// coordinator is ready from then on, as the cluster sees it, and no look before that was in vain. Loop thread only.
#pragma once

#include <list>
#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/system/asio/fd_loop.h"
#include "core/system/posix/unique_fd.h"

namespace muster::pod {

class FailedPort {
 public:
  // At this numeric address, or wherever.
  static Result<std::unique_ptr<FailedPort>> open(FdLoop& loop, const std::string& address, uint16_t port);

  // The job has failed: who asked is answered, and who asks from here on.
  void tell();

  static constexpr size_t most_execs = 16;  // the oldest goes

 private:
  struct Exec {
    UniqueFd stream;
    std::unique_ptr<LoopWatch> watch;
    bool asked = false;
    bool gone = false;
  };
  FailedPort(FdLoop& loop, UniqueFd door);
  void let_in();
  void hear(Exec& exec);
  void answer(Exec& exec);
  void leave(Exec& exec);

  FdLoop& loop_;
  UniqueFd door_;
  std::unique_ptr<LoopWatch> watch_;
  std::list<Exec> execs_;
  bool told_ = false;
};

}  // namespace muster::pod
