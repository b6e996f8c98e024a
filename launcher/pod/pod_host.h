// PodHost: the controller of one job whose nodes are pods, in this process, with a door for them. Loop thread only.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "backends/kubernetes/pod/pod_place.h"
#include "core/client/connect/direct_client.h"
#include "launcher/composition/hosting.h"
#include "launcher/composition/wire.h"
#include "launcher/pod/inherited_job.h"

namespace muster::pod {

class PodHost final : public Hosted {
 public:
  // Goes on with the job of a container before this one, whose state lies in the pod's folder. `caller` outlive it.
  static Result<std::unique_ptr<PodHost>> open(const CallerContext& caller, FdLoop& loop, const PodPlace& place);

  ControlClient& client() override { return client_; }
  bool has_execs() const override { return hosting_->has_execs(); }
  PodBackend& pods() { return hosting_->pods(); }
  // Where this container has no job yet: that of a coordinator before it is looked for among those who come. `begin_anew` runs when it
  // lies in our store.
  void look_for_earlier(const SubmitRequest& request, std::function<void()> begin_anew);

 private:
  PodHost(FdLoop& loop, std::unique_ptr<Hosting> hosting)
      : loop_(loop),
        hosting_(std::move(hosting)),
        client_(loop, hosting_->controller()) {}

  FdLoop& loop_;
  std::unique_ptr<Hosting> hosting_;
  DirectClient client_;
  std::optional<InheritedJob> inherited_;
};

}  // namespace muster::pod
