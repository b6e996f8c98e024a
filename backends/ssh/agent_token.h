// SPDX-License-Identifier: Apache-2.0
// AgentToken: what a later controller needs to find the agent of a node on its host. It is no secret. Pure.
#pragma once

#include <string>

#include "core/base/ids.h"

namespace muster {

struct AgentToken {
  std::string host;
  std::string tag;  // of its link
  Incarnation agent = 0;
};

// "HOST TAG INCARNATION"
std::string text_of(const AgentToken& token);
// A text of another form has no host.
AgentToken agent_token(const std::string& text);

}  // namespace muster
