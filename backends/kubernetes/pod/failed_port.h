// SPDX-License-Identifier: Apache-2.0
// FailedPort: serves the cluster's readiness probe. A request is answered only when the job has failed; then the cluster counts the
// coordinator as ready. Holding requests avoids failed probes, which the cluster would record as events. Loop thread only.
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
  // `address`: numeric; empty: all addresses.
  static Result<std::unique_ptr<FailedPort>> open(FdLoop& loop, const std::string& address, uint16_t port);

  // The job has failed: answers the held requests and all later ones.
  void tell();

  static constexpr size_t most_connections = 16;  // a further one replaces the oldest

 private:
  struct Connection {
    UniqueFd stream;
    std::unique_ptr<LoopWatch> watch;
    bool asked = false;
    bool gone = false;
  };
  FailedPort(FdLoop& loop, UniqueFd listener);
  void accept_connection();
  void read_request(Connection& connection);
  void answer(Connection& connection);
  void close_connection(Connection& connection);

  FdLoop& loop_;
  UniqueFd listener_;
  std::unique_ptr<LoopWatch> watch_;
  std::list<Connection> connections_;
  bool failed_ = false;
};

}  // namespace muster::pod
