// SPDX-License-Identifier: Apache-2.0
// RankClient: the calls of a muster command that runs as a rank, or below one, to the agent of its node.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/port/exec_channel.h"
#include "core/port/loop.h"
#include "core/port/worker_messages.h"

namespace muster {

class RankClient {
 public:
  // The rank that `environment` describes (MUSTER_SOCKET, MUSTER_ATTEMPT, MUSTER_INDEX). nullopt: it describes none.
  static std::optional<RankClient> of(const std::map<std::string, std::string>& environment);

  // Blocks, at most 10 s. Errors of the call, and unavailable: the agent does not answer.
  Result<std::string> get(const std::string& key) const;
  // Runs a program beside a rank of the job, with `start.index`, as long as the attempt of the rank that this is. The channel's last frame
  // is ExecEnd. Loop thread of `loop`.
  std::unique_ptr<ExecChannel> exec(Loop& loop, ExecStart start) const;

 private:
  RankClient(std::string socket, Attempt attempt, uint32_t index)
      : socket_(std::move(socket)),
        attempt_(attempt),
        index_(index) {}

  std::string socket_;
  Attempt attempt_ = 0;
  uint32_t index_ = 0;
};

}  // namespace muster
