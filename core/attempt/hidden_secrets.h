// What programs say of themselves, without the values of their job's secrets: it goes into sentences, journal and views.
#pragma once

#include <map>
#include <string>

#include "core/port/agent_messages.h"

namespace muster {

// Each value, where it has at least four letters, is told by its variable: "bad token [WANDB_API_KEY]". `secrets`: by variable.
std::string without_secrets(std::string text, const std::map<std::string, std::string>& secrets);

// Of each rank's last words.
Report without_secrets(Report report, const std::map<std::string, std::string>& secrets);

}  // namespace muster
