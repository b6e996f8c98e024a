// SPDX-License-Identifier: Apache-2.0
// Writes text files so that a reader never sees an incomplete one.
#pragma once

#include <string>

#include "core/base/result.h"

namespace muster {

// Creates the folder of the file if it is missing, writes a new file and renames it. A symbolic link is kept.
// permission_denied, with a sentence: the file is unchanged.
Status replace_file(const std::string& file, const std::string& text);

}  // namespace muster
