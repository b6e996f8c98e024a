// SPDX-License-Identifier: Apache-2.0
#include "core/journal/consequence.h"

#include <csignal>

#include "core/job/peer_error.h"
#include "core/job/raised.h"

namespace muster {

std::string consequence_of(const std::string& name, const ExitStatus& exit, const ExitStatus& culprit) {
  const std::string_view peer = peer_error(exit);
  if (!peer.empty()) return name + " lost its connection to it (" + std::string(peer) + ")";
  if (raised(exit))
    return name + (exit.detail == culprit.detail ? " raised the same exception" : " " + describe_exit(exit));
  const bool signalled = exit.kind == ExitStatus::Kind::signalled;
  if (exit.asked && signalled && exit.signal == SIGKILL) return name + " was stopped because of it, by SIGKILL";
  if (exit.asked && signalled && !exit.core_dumped) return name + " was stopped because of it";
  const bool same = !exit.detail.empty() && exit.detail == culprit.detail;
  return name + " " + (same ? "ended in the same way" : describe_exit(exit));
}

}  // namespace muster
