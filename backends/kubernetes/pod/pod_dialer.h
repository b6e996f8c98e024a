// SPDX-License-Identifier: Apache-2.0
// PodDialer: connects to the coordinator's pod. Each dial resolves the host name again, because a replacement pod has another address.
// While the coordinator cannot be reached, it prints a line to stderr every minute. Loop thread only.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/wire/grpc_agent_dialer.h"

namespace muster::pod {

// The numeric addresses of a host name, at least one. not_found: with the system's message. Blocks. Any thread.
Result<std::vector<std::string>> resolve(const std::string& host);

class PodDialer final : public CoordinatorDialer {
 public:
  PodDialer(Loop& loop, std::string host, uint16_t port, TlsIdentity identity);
  ~PodDialer() override;
  void dial(std::function<void(Result<std::unique_ptr<ChannelToCoordinator>>)> done) override;

 private:
  using Done = std::function<void(Result<std::unique_ptr<ChannelToCoordinator>>)>;
  void resolved(const Result<std::vector<std::string>>& addresses, const Done& done);
  void failed(const Status& status, const Done& done);

  Loop& loop_;
  const std::string host_;
  const uint16_t port_;
  const TlsIdentity identity_;
  std::unique_ptr<GrpcAgentDialer> dialer_;
  // Counts dials, to try the addresses in turn: the name may still resolve to a pod on a lost machine too.
  size_t dials_ = 0;
  TimePoint tell_at_;  // when to print the next line; 0: the last dial succeeded
  struct Gate;         // lets a name look-up outlive this object
  std::shared_ptr<Gate> gate_;
};

}  // namespace muster::pod
