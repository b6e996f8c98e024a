// SPDX-License-Identifier: Apache-2.0
// Suggests what to try, from the end of the rank that failed first. A table of known failures; the first match wins. Pure.
#pragma once

#include <string>

#include "core/port/control_messages.h"

namespace muster {

// Empty if no suggestion is known.
std::string advice(const JobView& job);

}  // namespace muster
