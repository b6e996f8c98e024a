// SPDX-License-Identifier: Apache-2.0
// UserNames: maps uids to names by this machine's /etc/passwd. No name service is asked: it may hang or be missing. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace muster {

class UserNames {
 public:
  explicit UserNames(std::string file = "/etc/passwd") : file_(std::move(file)) {}

  // "uid 1003" if the file has no such user.
  std::string name(uint32_t uid);

 private:
  void read();

  const std::string file_;
  bool known_ = false;
  std::map<uint32_t, std::string> names_;
};

}  // namespace muster
