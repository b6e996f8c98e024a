// What came of asking a host. A value.
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
  uint64_t sent_bytes = 0;  // of the program
  std::string folder;       // there: muster's cache
  Duration ahead{0};        // of our clock, give or take `unsure`
  Duration unsure{0};
};

}  // namespace muster
