// PodDialer: the way to the coordinator's pod. Its name is looked up anew at each dial, since a pod that comes in its place has another
// address; where nobody is there, a line on stderr tells of it each minute. Loop thread only.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/wire/grpc_agent_dialer.h"

namespace muster::pod {

// The addresses of a host name, numeric, at least one; not_found with what the system says. Blocks. Any thread.
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
  size_t dials_ =
      0;  // in vain: of a pod on a machine that is gone the name may know as well, so each address has its turn
  TimePoint tell_at_;  // when the next line is due; 0: the last dial went well
  struct Gate;         // for a look-up that outlives us
  std::shared_ptr<Gate> gate_;
};

}  // namespace muster::pod
