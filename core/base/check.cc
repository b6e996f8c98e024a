#include "core/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace muster {

void check_failed(const char* expression, const char* file, int line) {
  std::fprintf(stderr, "muster: internal error: %s does not hold at %s:%d; please report it\n", expression, file, line);
  std::abort();
}

}  // namespace muster
