// SPDX-License-Identifier: Apache-2.0
// TorchrunSettings: the checked values of a torchrun command line, with words such as `auto` replaced by numbers. Pure: facts about the
// machine come from TorchrunFacts.
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
  uint32_t cpus = 1;               // usable by this process, as torch counts them
  std::function<uint32_t()> gpus;  // counts the visible GPUs; called only if needed
  uint64_t seed = 0;
};

struct TorchrunSettings {
  uint32_t ranks = 1;
  std::optional<Meeting> meeting;  // for several hosts; nothing: only this host
  uint32_t restarts = 0;
  std::string run_id;
  std::string role;
  Duration shutdown{0};  // between the signal that stops ranks and SIGKILL
  std::vector<int> signals;
  StreamPick redirects;
  StreamPick tee;
  std::set<uint32_t> shown;  // local ranks on the console; empty: all
  std::string prefix_template;
  std::vector<std::string> remarks;  // notes about values that are ignored, one sentence each
};

// invalid_argument: the message names the flag, what it accepts and what it got. Other errors as meeting_of().
Result<TorchrunSettings> settle_torchrun(const TorchrunFlags& flags, const TorchrunFacts& facts);

}  // namespace muster
