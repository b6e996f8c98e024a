// SPDX-License-Identifier: Apache-2.0
#include "core/node/warm/warm_process_host.h"

namespace muster {

Result<ProcessHandle> WarmProcessHost::spawn(const SpawnRequest& request, ExitHandler on_exit) {
  if (!imports_.fits(request)) return host_.spawn(request, std::move(on_exit));
  Result<ForkedRank> rank = imports_.fork(request);
  if (!rank.ok()) return host_.spawn(request, std::move(on_exit));
  Result<ProcessHandle> taken = host_.take_in(rank->pid, request, on_exit);
  if (!taken.ok()) return host_.spawn(request, std::move(on_exit));
  open_gate(*rank);
  return taken;
}

}  // namespace muster
