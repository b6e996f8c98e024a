// MUSTER_CHECK: for what must be true. A failure is a bug in muster: it prints the place and aborts.
// Not for anything a user, a file, a peer or the kernel can cause (result.h).
#pragma once

namespace muster {

[[noreturn]] void check_failed(const char* expression, const char* file, int line);

}  // namespace muster

#define MUSTER_CHECK(expression) \
  ((expression) ? static_cast<void>(0) : ::muster::check_failed(#expression, __FILE__, __LINE__))
