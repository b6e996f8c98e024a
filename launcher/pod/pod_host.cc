#include "launcher/pod/pod_host.h"

#include "core/model/pod_words.h"

namespace muster::pod {

Result<std::unique_ptr<PodHost>> PodHost::open(const Surroundings& surroundings, FdLoop& loop, const PodPlace& place) {
  auto identity = identity_of(place);
  if (!identity.ok()) return identity.status();
  const std::string address = place.self.address.empty() ? "0.0.0.0" : place.self.address;
  HostingChoice choice;
  choice.state = place.state();
  choice.socket = place.controller_socket();
  choice.pods = PodHosting{{address, kAgentPort, std::move(*identity)}};
  auto hosting = Hosting::open(surroundings, loop, choice, [] {});
  if (!hosting.ok()) return hosting.status();
  return std::unique_ptr<PodHost>(new PodHost(loop, std::move(*hosting)));
}

}  // namespace muster::pod
