#include "core/runtime/consequence.h"

#include <csignal>

#include "core/model/peer_error.h"

namespace muster {

std::string consequence_of(const std::string& name, const ExitStatus& exit, const ExitStatus& culprit) {
  const std::string_view peer = peer_error(exit);
  if (!peer.empty()) return name + " lost its connection to it (" + std::string(peer) + ")";
  const bool signalled = exit.kind == ExitStatus::Kind::signalled;
  if (exit.asked && signalled && exit.signal == SIGKILL) return name + " was stopped because of it, by SIGKILL";
  if (exit.asked && signalled && !exit.core_dumped) return name + " was stopped because of it";
  const bool same = !exit.detail.empty() && exit.detail == culprit.detail;
  if (!same) return name + " " + describe_exit(exit);
  return name + (describe_exit(exit).starts_with("raised ") ? " raised the same" : " ended likewise");
}

}  // namespace muster
