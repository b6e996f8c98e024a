// A pseudo-terminal (pty(7)), opened: our side and the process's. Any thread.
#pragma once

#include <cstdint>

#include "core/base/result.h"
#include "core/system/posix/unique_fd.h"

namespace muster {

struct PseudoTerminal {
  UniqueFd ours;          // does not block
  UniqueFd process_side;  // above 2; ours to close once the process has it, or its end would never be seen
};

// Of 24 rows and 80 columns.
Result<PseudoTerminal> open_pseudo_terminal();

void resize_terminal(int fd, uint16_t rows, uint16_t columns);

// The same descriptor, or another of the same file, above 2. Closes the one given.
UniqueFd above_stdio(UniqueFd fd);

}  // namespace muster
