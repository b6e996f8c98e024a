// The parser's complaints in the words of someone who wrote a file. Pure.
#pragma once

#include <string>

#include "core/job/diagnostic.h"

namespace muster {

// E1001 at `where`; `message` is yaml-cpp's, and is shown itself when we have no better words.
Diagnostic syntax_problem(const SourceRange& where, const std::string& message);

}  // namespace muster
