// SPDX-License-Identifier: Apache-2.0
// The keys of the job file as dotted names, such as `restarts.limit`, and their choices. From the parser's table. Pure.
#pragma once

#include <string>
#include <vector>

#include "launcher/completion/completer.h"

namespace muster {

// All keys with their descriptions. A map of keys is replaced by its members.
std::vector<Candidate> key_words();

// The choices of the key with this dotted name; empty if it has none.
std::vector<Candidate> key_choices(const std::string& path);

}  // namespace muster
