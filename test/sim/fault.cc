// SPDX-License-Identifier: Apache-2.0
#include "test/sim/fault.h"

#include <algorithm>
#include <array>

namespace muster::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct Trait {
  std::string name;
  int64_t longest_seconds = 0;  // 0: it is instantaneous
  uint32_t weight = 2;
};

const std::array<Trait, kFaultKinds>& traits() {
  static const std::array<Trait, kFaultKinds> all{{
      {"rank dies", 0, 3},
      {"agent dies", 0, 3},
      {"agent drained", 0, 1},
      {"host loses power", 90, 2},
      {"host sleeps", 120, 2},
      {"controller's host sleeps", 90, 1},
      {"clock drifts", 0, 1},
      {"clock jumps", 0, 1},
      {"link cut", 0, 3},
      {"partition", 120, 3},
      {"partition of one way", 120, 3},
      {"flapping", 60, 2},
      {"messages lost", 60, 2},
      {"messages doubled", 60, 1},
      {"messages overtaken", 60, 1},
      {"network slow", 60, 1},
      {"controller dies", 40, 3},
      {"controller dies at a line", 10, 3},
      {"controller leaves", 20, 1},
      {"controller's host loses power", 60, 2},
      {"second controller", 20, 1},
      {"disk full", 40, 1},
      {"disk slow", 60, 1},
      {"syncs forgotten", 90, 1},
      {"places refused", 40, 1},
      {"ports taken", 30, 1},
      {"submit repeated", 0, 1},
      {"user stops", 0, 1},
  }};
  return all;
}

const Trait& trait_of(FaultKind kind) { return traits().at(static_cast<size_t>(kind)); }

// Each kind is included with probability 1/2: few kinds may show what many would hide.
std::vector<FaultKind> kinds_of(Random& random) {
  std::vector<FaultKind> kinds;
  for (size_t i = 0; i < kFaultKinds; ++i) {
    const auto kind = static_cast<FaultKind>(i);
    // A disk that loses synced data is rare, because most invariants are not checked then.
    const uint64_t odds = kind == FaultKind::syncs_forgotten ? 12 : 2;
    if (random.below(odds) == 0) kinds.insert(kinds.end(), trait_of(kind).weight, kind);
  }
  return kinds;
}

}  // namespace

const std::string& name_of(FaultKind kind) { return trait_of(kind).name; }

std::string to_text(const Fault& fault) {
  std::string text = "at " + format_duration(fault.at) + ": " + name_of(fault.kind);
  if (fault.lasts > Duration(0)) text += ", for " + format_duration(fault.lasts);
  return text;
}

std::vector<Fault> faults_of(Random& random, Duration window, bool fixed_hosts) {
  const std::vector<FaultKind> kinds = kinds_of(random);
  if (kinds.empty()) return {};
  std::vector<Fault> faults(random.below(30));
  for (Fault& fault : faults) {
    fault.at = milliseconds(random.below(static_cast<uint64_t>(window / milliseconds(1))));
    fault.kind = kinds[random.below(kinds.size())];
    fault.pick = random.next();
    const int64_t longest = trait_of(fault.kind).longest_seconds;
    if (longest > 0) fault.lasts = milliseconds(100 + random.below(static_cast<uint64_t>(longest) * 1000));
    // Without leases, short faults are enough; with leases, the time around their expiry matters.
    if (fixed_hosts && fault.lasts > seconds(30)) fault.lasts /= 4;
  }
  std::stable_sort(faults.begin(), faults.end(), [](const Fault& a, const Fault& b) { return a.at < b.at; });
  return faults;
}

}  // namespace muster::sim
