// CoordinatorLink: the controller in a coordinator's pod, as its viewers have it: control.proto over the stdio of `kubectl exec`.
// Loop thread only.
#pragma once

#include <memory>
#include <string>

#include "backends/kubernetes/cluster/kubectl.h"
#include "core/system/asio/asio_loop.h"
#include "core/wire/grpc_control_client.h"

namespace muster {

class CoordinatorLink {
 public:
  // Begins; several may at a time.
  static Result<std::unique_ptr<CoordinatorLink>> begin(const KubectlAccess& access, const std::string& pod);
  // Blocks until the far side speaks, or for so long. permission_denied: this user may not exec; unavailable: nobody lives there, or
  // not yet. Once.
  Status open(Loop& loop, Duration patience);
  ~CoordinatorLink();

  ControlClient& client() { return *client_; }

 private:
  CoordinatorLink(const KubectlAccess& access, std::string pod) : access_(access), pod_(std::move(pod)) {}
  Status wait_for_word(int stream, Duration patience);

  const KubectlAccess& access_;
  const std::string pod_;

  // kubectl's own: its end may be waited for in the midst of a turn of the command's loop.
  AsioLoop kubectls_;
  std::optional<HelperEnd> end_;
  std::unique_ptr<KubectlExec> exec_;
  std::unique_ptr<GrpcControlClient> client_;
};

}  // namespace muster
