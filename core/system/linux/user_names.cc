// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/user_names.h"

#include <cstdlib>
#include <fstream>

#include "core/base/text.h"

namespace muster {

// name:password:uid:… (passwd(5)). If a user has several names, the first counts.
void UserNames::read() {
  known_ = true;
  std::ifstream file(file_);
  for (std::string line; std::getline(file, line);) {
    const size_t name_end = line.find(':');
    const size_t uid_at = name_end == std::string::npos ? name_end : line.find(':', name_end + 1);
    if (uid_at == std::string::npos || name_end == 0) continue;
    char* end = nullptr;
    const unsigned long uid = std::strtoul(line.c_str() + uid_at + 1, &end, 10);
    if (*end == ':') names_.try_emplace(static_cast<uint32_t>(uid), escaped(line.substr(0, name_end)));
  }
}

std::string UserNames::name(uint32_t uid) {
  if (!known_) read();
  const auto found = names_.find(uid);
  return found == names_.end() ? "uid " + std::to_string(uid) : found->second;
}

}  // namespace muster
