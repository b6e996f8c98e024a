// SPDX-License-Identifier: Apache-2.0
// Reads the value of a secret from a file.
#pragma once

#include <string>
#include <variant>

#include "core/base/time.h"

namespace muster {

constexpr size_t kLargestSecret = 64 << 10;  // bytes

// Why a secret has no value, and what the user can do.
struct NoSecret {
  std::string cause;  // "`keys` is a folder"
  std::string fix;    // empty: nothing besides setting it
};

using SecretValue = std::variant<std::string, NoSecret>;

// The whole text of a regular file, or of a pipe (a FIFO, `<(…)`, /dev/stdin) that a program has open for writing or that holds data. A
// relative path starts at `workdir`. Never waits for a writer. For the end of a pipe it waits for `patience`. Blocks.
SecretValue read_secret_file(const std::string& path, const std::string& workdir, Duration patience);

}  // namespace muster
