// SPDX-License-Identifier: Apache-2.0
#include "core/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace muster {

void check_failed(const char* expression, const char* file, int line) {
  std::fprintf(stderr, "muster: internal error at %s:%d: check failed: %s; please report it\n", file, line, expression);
  std::abort();
}

}  // namespace muster
