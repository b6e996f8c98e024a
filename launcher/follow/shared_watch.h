// SPDX-License-Identifier: Apache-2.0
// Watches a descriptor that is shared with other programs, such as stdin. Unlike the loop's own watches (asio), it leaves the open file
// blocking, because a shell or other programs use it later. Loop thread only.
#pragma once

#include <functional>
#include <memory>

#include "core/system/asio/fd_loop.h"

namespace muster {

enum class Ready { to_read, to_write };

// Like FdLoop's watches. Null: a file that is always ready (a regular file, /dev/null).
std::unique_ptr<LoopWatch> watch_shared(FdLoop& loop, int fd, Ready what, std::function<void()> ready);

// True if a small read or write would not block.
bool is_ready(int fd, Ready what);

}  // namespace muster
