// SPDX-License-Identifier: Apache-2.0
#include "core/node/warm/warm_process_host.h"

namespace muster {

Result<ProcessHandle> WarmProcessHost::spawn(const SpawnRequest& request, ExitHandler on_exit) {
  if (!imports_.fits(request)) return host_.spawn(request, std::move(on_exit));
  Result<ForkedRank> rank = imports_.fork(request);
  if (!rank.ok()) return host_.spawn(request, std::move(on_exit));
  Result<RankStreams> streams = host_.open_streams(request);
  if (!streams.ok()) return streams.status();
  Result<ProcessHandle> taken = host_.take_in(rank->pid, request, streams->take_terminal(), on_exit);
  if (!taken.ok()) return host_.spawn(request, std::move(on_exit));
  open_gate(*rank, streams->stdio());
  return taken;
}

}  // namespace muster
