// SPDX-License-Identifier: Apache-2.0
// Opens a pseudo-terminal (pty(7)): our side and the process's side. Any thread.
#pragma once

#include <cstdint>

#include "core/base/result.h"
#include "core/system/posix/unique_fd.h"

namespace muster {

struct PseudoTerminal {
  UniqueFd ours;          // non-blocking
  UniqueFd process_side;  // above 2; close it after the start, otherwise the terminal never reports the end
};

// Opens a terminal with 24 rows and 80 columns.
Result<PseudoTerminal> open_pseudo_terminal();

void resize_terminal(int fd, uint16_t rows, uint16_t columns);

// Turns off the changes that a terminal makes to what its process prints, such as CR before LF.
void pass_output_unchanged(int fd);

// The same descriptor, or a duplicate, above 2. Closes the given one if it makes a duplicate.
UniqueFd above_stdio(UniqueFd fd);

}  // namespace muster
