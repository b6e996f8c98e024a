// SPDX-License-Identifier: Apache-2.0
// PmixChannel: an agent's end of the connection to its PMIx helper. It listens at a UNIX socket of mode 0600 and accepts the helper
// only. Loop thread only.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/node/pmix/pmix_message.h"
#include "core/system/asio/fd_loop.h"
#include "core/system/posix/unique_fd.h"

namespace muster {

class PmixChannel {
 public:
  using Heard = std::function<void(const PmixFields& message)>;  // may destroy the channel
  static Result<std::unique_ptr<PmixChannel>> listen(FdLoop& loop, const std::string& path, Heard heard);

  ~PmixChannel() { *alive_ = false; }
  PmixChannel(const PmixChannel&) = delete;
  PmixChannel& operator=(const PmixChannel&) = delete;

  // The process whose connection is accepted, and the first message to it.
  void expect(int64_t pid, const PmixFields& first);
  void send(const PmixFields& message);
  // Passes on what the helper has sent so far.
  void read_now() {
    if (connection_.valid()) readable();
  }

 private:
  PmixChannel(FdLoop& loop, Heard heard) : loop_(loop), heard_(std::move(heard)) {}
  void accept();
  void readable();
  void write();

  FdLoop& loop_;
  const Heard heard_;
  int64_t pid_ = 0;
  UniqueFd listener_;
  UniqueFd connection_;
  std::unique_ptr<LoopWatch> watch_;
  std::unique_ptr<LoopWatch> writable_;
  UniqueFd writing_;  // the same connection: a descriptor has one watch
  std::string received_;
  std::string unsent_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
