// Setting one value in a configuration file, with everything else and its comments left as they are.
#pragma once

#include <string>

#include "core/base/result.h"

namespace muster {

// Makes the file and its folder where they are missing. Returns "FILE:LINE". Fails, and leaves the file as it was, when
// the key or value does not belong there (invalid_argument), or when the file is written so that only a person can say
// where the line goes.
Result<std::string> set_in_config(const std::string& file, const std::string& key, const std::string& value);

// The same for its text. Pure.
Result<std::string> with_value(const std::string& text, const std::string& file, const std::string& key,
                               const std::string& value);

}  // namespace muster
