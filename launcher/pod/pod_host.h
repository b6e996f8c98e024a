// SPDX-License-Identifier: Apache-2.0
// PodHost: hosts the controller of one job whose nodes are pods, and listens for the pods' agents. Loop thread only.
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
  // Continues the job of an earlier container of this pod, whose state is in the pod's folder. `caller` must outlive the PodHost.
  static Result<std::unique_ptr<PodHost>> open(const CallerContext& caller, FdLoop& loop, const PodPlace& place);

  ControlClient& client() override { return client_; }
  bool has_execs() const override { return hosting_->has_execs(); }
  PodBackend& pods() { return hosting_->pods(); }
  // If this container has no job yet: takes over the job of an earlier coordinator, if a connecting agent keeps its journal. `begin_anew`
  // runs when the job is in this coordinator's store.
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
