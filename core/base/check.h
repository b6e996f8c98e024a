// SPDX-License-Identifier: Apache-2.0
// MUSTER_CHECK: checks an invariant. A failure is a bug in muster: it prints the place and aborts. For errors that a
// user, a file, a peer or the kernel can cause, use result.h.
#pragma once

namespace muster {

[[noreturn]] void check_failed(const char* expression, const char* file, int line);

}  // namespace muster

#define MUSTER_CHECK(expression) \
  ((expression) ? static_cast<void>(0) : ::muster::check_failed(#expression, __FILE__, __LINE__))
