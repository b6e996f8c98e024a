// SPDX-License-Identifier: Apache-2.0
// muster_agent_swarm host STATE NODES
// muster_agent_swarm agents PORT FIRST COUNT CONNECTIONS
// muster_agent_swarm pods ADDRESS TOKEN FIRST COUNT CONNECTIONS
#include <cstdlib>
#include <iostream>
#include <string>

#include "core/job/pod_words.h"
#include "test/agent_swarm/host.h"
#include "test/agent_swarm/swarm.h"

namespace muster::agent_swarm {
namespace {

uint32_t number(const char* word) { return static_cast<uint32_t>(std::strtoul(word, nullptr, 10)); }

Status run(int count, char** words) {
  const std::string part = count > 1 ? words[1] : "";
  if (part == "host" && count == 4) return host(words[2], number(words[3]));
  if (part == "agents" && count == 6)
    return swarm({.port = static_cast<uint16_t>(number(words[2])),
                  .first = number(words[3]),
                  .count = number(words[4]),
                  .connections = number(words[5])});
  if (part == "pods" && count == 7)
    return swarm({words[2], pod::kAgentPort, words[3], number(words[4]), number(words[5]), number(words[6])});
  return Status(Code::invalid_argument,
                "host STATE NODES, agents PORT FIRST COUNT CONNECTIONS, or pods ADDRESS TOKEN FIRST COUNT CONNECTIONS");
}

}  // namespace
}  // namespace muster::agent_swarm

int main(int count, char** words) {
  const muster::Status status = muster::agent_swarm::run(count, words);
  if (!status.ok()) std::cerr << status.message() << "\n";
  return status.ok() ? 0 : 1;
}
