// SPDX-License-Identifier: Apache-2.0
// HostReport: the result of asking a host for its facts. A value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "backends/ssh/hosts/host_facts.h"
#include "backends/ssh/session/ssh_words.h"
#include "core/job/file/host_list.h"

namespace muster {

struct HostReport {
  ListedHost host;
  std::optional<HostFacts> facts;
  ssh::SshTrouble trouble;
  uint64_t sent_bytes = 0;  // of the muster program
  std::string folder;       // muster's cache on the host
  Duration ahead{0};        // host clock minus ours, accurate to `unsure`
  Duration unsure{0};
};

}  // namespace muster
