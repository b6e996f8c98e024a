// PodHost: the controller of one job whose nodes are pods, in this process, with a door for them. Loop thread only.
#pragma once

#include <memory>
#include <string>

#include "launcher/pod/pod_place.h"
#include "launcher/wire/direct_client.h"
#include "launcher/wire/hosting.h"
#include "launcher/wire/wire.h"

namespace muster::pod {

class PodHost final : public Hosted {
 public:
  // Goes on with the job of a container before this one, whose state lies in the pod's folder. `surroundings` outlive it.
  static Result<std::unique_ptr<PodHost>> open(const Surroundings& surroundings, FdLoop& loop, const PodPlace& place);

  ControlClient& client() override { return client_; }
  bool has_guests() const override { return hosting_->has_guests(); }
  PodBackend& pods() { return hosting_->pods(); }

 private:
  PodHost(FdLoop& loop, std::unique_ptr<Hosting> hosting)
      : hosting_(std::move(hosting)),
        client_(loop, hosting_->controller()) {}

  std::unique_ptr<Hosting> hosting_;
  DirectClient client_;
};

}  // namespace muster::pod
