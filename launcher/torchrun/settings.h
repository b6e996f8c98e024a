// TorchrunSettings: what a torchrun command line means for one job on this machine: numbers instead of words, or why it means
// nothing. Pure: what it must know of the machine is in TorchrunFacts.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/time.h"
#include "launcher/torchrun/meeting.h"
#include "launcher/torchrun/stream_pick.h"
#include "launcher/torchrun/torchrun_flags.h"

namespace muster {

struct TorchrunFacts {
  std::map<std::string, std::string> environment;
  uint32_t cpus = 1;               // that this process may use, as torch counts them
  std::function<uint32_t()> gpus;  // visible ones; asked only when it matters
  uint64_t seed = 0;
};

struct TorchrunSettings {
  uint32_t ranks = 1;
  std::optional<Meeting> meeting;  // of several hosts; nothing: this one alone
  uint32_t restarts = 0;
  std::string run_id;
  Duration shutdown{0};  // between the signal that stops ranks and SIGKILL
  std::vector<int> signals;
  StreamPick redirects;
  StreamPick tee;
  std::set<uint32_t> shown;  // local ranks on the console; empty: all
  std::string prefix_template;
  std::vector<std::string> remarks;  // what was taken and is not done, a sentence each
};

// invalid_argument, with the flag at fault, what it wants and what it got; else as meeting_of().
Result<TorchrunSettings> settle_torchrun(const TorchrunFlags& flags, const TorchrunFacts& facts);

}  // namespace muster
