// SPDX-License-Identifier: Apache-2.0
// Sets one value in a configuration file and keeps everything else, including comments.
#pragma once

#include <string>

#include "core/base/result.h"

namespace muster {

// Creates the file and its folder if they are missing. Returns "FILE:LINE". Fails without changing the file if the key
// or value is wrong (invalid_argument), or if the file's form leaves it unclear where the line belongs
// (failed_precondition).
Result<std::string> set_in_config(const std::string& file, const std::string& key, const std::string& value);

// As set_in_config(), for the text of a file. Pure.
Result<std::string> with_value(const std::string& text, const std::string& file, const std::string& key,
                               const std::string& value);

}  // namespace muster
