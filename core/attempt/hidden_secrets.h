// SPDX-License-Identifier: Apache-2.0
// Removes the values of a job's secrets from texts of its programs, before they go into sentences, journal and views.
#pragma once

#include <map>
#include <string>

#include "core/port/agent_messages.h"

namespace muster {

// Replaces each value of at least four bytes by the name of its variable: "bad token [WANDB_API_KEY]". `secrets`: by variable.
std::string without_secrets(std::string text, const std::map<std::string, std::string>& secrets);

// Does the same for the failure message of each rank in the report.
Report without_secrets(Report report, const std::map<std::string, std::string>& secrets);

}  // namespace muster
