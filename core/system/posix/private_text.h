// SPDX-License-Identifier: Apache-2.0
// Writes texts to new files that only the user may read. Any thread.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace muster {

// `mode`: 0600 or 0700. A file that is there is replaced. A failure, whose message names the path, leaves no file.
Status write_private_file(const std::string& path, std::string_view text, mode_t mode);

}  // namespace muster
