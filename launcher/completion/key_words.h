// The job file's keys as words of a command line: `restarts.limit`, and their choices. From the parser's table. Pure.
#pragma once

#include <string>
#include <vector>

#include "launcher/completion/completer.h"

namespace muster {

// Every key with its sentence, maps of keys by what is in them: "restarts.limit".
std::vector<Candidate> key_words();

// The choices of the key with this dotted name; none where it has none.
std::vector<Candidate> key_choices(const std::string& path);

}  // namespace muster
