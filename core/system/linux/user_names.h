// UserNames: what users are called by this machine's own file. No name service is asked: that may hang, and is not there
// in every root. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace muster {

class UserNames {
 public:
  explicit UserNames(std::string file = "/etc/passwd") : file_(std::move(file)) {}

  // "uid 1003" where the file has no such user.
  std::string name(uint32_t uid);

 private:
  void read();

  const std::string file_;
  bool known_ = false;
  std::map<uint32_t, std::string> names_;
};

}  // namespace muster
