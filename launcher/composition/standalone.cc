// SPDX-License-Identifier: Apache-2.0
// `run --standalone`: controller, coordinator and agents in one process tree. The journal is in the usual state folder.

#include <unistd.h>

#include "core/client/connect/direct_client.h"
#include "core/client/connect/paths.h"
#include "core/job/plan/visible_gpus.h"
#include "launcher/composition/hosting.h"
#include "launcher/composition/wire.h"

namespace muster {
namespace {

class HostedHere final : public Hosted {
 public:
  HostedHere(Loop& loop, std::unique_ptr<Hosting> hosting)
      : hosting_(std::move(hosting)),
        client_(loop, hosting_->controller()) {}
  ControlClient& client() override { return client_; }

 private:
  std::unique_ptr<Hosting> hosting_;
  DirectClient client_;
};

}  // namespace

Result<HostingChoice> standalone_choice(const CallerContext& caller) {
  const Result<WirePaths> paths = wire_paths(caller);
  if (!paths.ok()) return paths.status();
  remove_stale_sockets(paths->runtime);
  HostingChoice choice;
  choice.state = paths->state;
  choice.socket = standalone_socket_path(paths->runtime, getpid());
  choice.standalone = true;
  return choice;
}

Result<std::unique_ptr<Hosted>> host_controller(const CallerContext& caller, FdLoop& loop, const MakeHostLinks& links) {
  Result<HostingChoice> choice = standalone_choice(caller);
  if (!choice.ok()) return choice.status();
  choice->links = links;
  Result<std::unique_ptr<Hosting>> hosting = Hosting::open(caller, loop, *choice, [] {});
  if (!hosting.ok()) return hosting.status();
  return std::unique_ptr<Hosted>(std::make_unique<HostedHere>(loop, std::move(*hosting)));
}

Result<Inventory> machine_inventory(const CallerContext& caller) {
  NullLog log;
  return machine_inventory(caller, log);
}

Result<Inventory> machine_inventory(const CallerContext& caller, Log& log) {
  LinuxMachineInfo machine(log);
  Inventory inventory = machine.inventory();
  inventory.gpus = visible_gpus(inventory.gpus, cuda_visible_devices(caller.environment));
  return inventory;
}

// Loads NVML, which is slow, only if there is a driver.
uint32_t gpus_here(const CallerContext& caller) {
  if (access("/dev/nvidiactl", F_OK) != 0) return 0;
  const auto machine = machine_inventory(caller);
  return machine.ok() ? static_cast<uint32_t>(machine->gpus.size()) : 0;
}

}  // namespace muster
