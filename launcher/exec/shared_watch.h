// A watch of a descriptor that is not ours alone, such as stdin: other than the loop's own watches (asio's), it leaves the open file
// blocking, for a shell and other programs that read it after us. Loop thread only.
#pragma once

#include <functional>
#include <memory>

#include "core/system/asio/fd_loop.h"

namespace muster {

enum class Ready { to_read, to_write };

// As FdLoop's. Null: a file of a kind that never waits (a regular one, /dev/null).
std::unique_ptr<LoopWatch> watch_shared(FdLoop& loop, int fd, Ready what, std::function<void()> ready);

// Whether a read or a write of little would go on without waiting.
bool is_ready(int fd, Ready what);

}  // namespace muster
