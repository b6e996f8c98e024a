// SPDX-License-Identifier: Apache-2.0
#include "core/base/private_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace muster {

bool make_private_file(const std::string& path) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  fchmod(fd, 0600);
  close(fd);
  return true;
}

}  // namespace muster
