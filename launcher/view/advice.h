// What a person might try, from how the first rank ended. Pure: a table of known endings, first match wins.
#pragma once

#include <string>

#include "core/port/control_messages.h"

namespace muster {

// Empty when nothing better is known than reading the rank's own words.
std::string advice(const JobView& job);

}  // namespace muster
