// SPDX-License-Identifier: Apache-2.0
#include "core/coordinator/exec_relay.h"

namespace muster {

ExecRelay::~ExecRelay() {
  for (const auto& [id, exec] : execs_) refuse_exec(*exec.viewer, Status(Code::unavailable, "the job has ended"));
}

void ExecRelay::open(NodeIndex node, ExecStart start, std::unique_ptr<ExecChannel> viewer) {
  const uint64_t id = ++last_;
  viewer->listen(
      [this, id, node](const ExecFrame& frame) {
        send_(node, {id, frame.part});
      },
      [this, id](const Status& why) { left(id, why.code() == Code::unavailable); });
  execs_[id] = {node, std::move(viewer)};
  start.job.clear();
  send_(node, {id, std::move(start)});
}

void ExecRelay::left(uint64_t id, bool lost) {
  const auto exec = execs_.extract(id);
  if (!exec.empty()) send_(exec.mapped().node, {id, ExecLeave{lost}});
}

void ExecRelay::heard(NodeIndex node, const ExecFrame& frame) {
  const auto found = execs_.find(frame.id);
  if (found == execs_.end() || found->second.node != node) return;
  found->second.viewer->send({0, frame.part});
  if (std::holds_alternative<ExecEnd>(frame.part)) execs_.erase(found);
}

void ExecRelay::lost(NodeIndex node, const std::string& why) {
  for (auto at = execs_.begin(); at != execs_.end();) {
    if (at->second.node != node) {
      ++at;
      continue;
    }
    refuse_exec(*at->second.viewer, Status(Code::unavailable, why));
    at = execs_.erase(at);
  }
}

}  // namespace muster
