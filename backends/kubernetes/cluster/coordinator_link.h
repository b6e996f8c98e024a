// SPDX-License-Identifier: Apache-2.0
// CoordinatorLink: a connection to the controller in a coordinator's pod: control.proto over the stdio of `kubectl exec`. Loop thread
// only.
#pragma once

#include <memory>
#include <string>

#include "backends/kubernetes/cluster/kubectl.h"
#include "core/system/asio/asio_loop.h"
#include "core/wire/grpc_control_client.h"

namespace muster {

class CoordinatorLink {
 public:
  // Starts `kubectl exec`. Several links may be opened in parallel.
  static Result<std::unique_ptr<CoordinatorLink>> begin(const KubectlAccess& access, const std::string& pod);
  // Blocks until the coordinator answers, at most for `patience`. permission_denied: the user may not exec. unavailable: no coordinator
  // runs there, or not yet. Call once.
  Status open(Loop& loop, Duration patience);
  ~CoordinatorLink();

  ControlClient& client() { return *client_; }

 private:
  CoordinatorLink(const KubectlAccess& access, std::string pod);
  Status wait_for_word(int stream, Duration patience);

  const KubectlAccess& access_;
  const std::string pod_;

  // A loop only for kubectl: its end may be awaited within a turn of the command's loop.
  AsioLoop kubectls_;
  KubectlErrors errors_;
  std::function<void()> prompted_;
  std::optional<HelperEnd> end_;
  std::unique_ptr<KubectlExec> exec_;
  std::unique_ptr<GrpcControlClient> client_;
};

}  // namespace muster
