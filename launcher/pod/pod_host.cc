// SPDX-License-Identifier: Apache-2.0
#include "launcher/pod/pod_host.h"

#include "backends/kubernetes/pod/journal_parts.h"
#include "core/job/pod_words.h"

namespace muster::pod {

Result<std::unique_ptr<PodHost>> PodHost::open(const CallerContext& caller, FdLoop& loop, const PodPlace& place) {
  auto identity = identity_of(place);
  if (!identity.ok()) return identity.status();
  const std::string address = place.self.address.empty() ? "0.0.0.0" : place.self.address;
  HostingChoice choice;
  choice.state = place.state();
  choice.socket = place.controller_socket();
  choice.pods = PodHosting{{address, kAgentPort, std::move(*identity)}};
  auto hosting = Hosting::open(caller, loop, choice, [] {});
  if (!hosting.ok()) return hosting.status();
  (*hosting)->pods().pack_by(&pack_parts);
  return std::unique_ptr<PodHost>(new PodHost(loop, std::move(*hosting)));
}

void PodHost::look_for_earlier(const SubmitRequest& request, std::function<void()> begin_anew) {
  if (!hosting_->store().list().empty()) return;
  inherited_.emplace(loop_, hosting_->store(), JobSecrets{request.environment, request.secrets, request.settings, {}},
                     request.submit_key, std::move(begin_anew));
  pods().on_found([this](const std::string& packed) { inherited_->found(packed); });
  pods().wait_for_all();
}

}  // namespace muster::pod
