// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/host_name.h"

#include <unistd.h>

namespace muster {

std::string host_name() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

}  // namespace muster
