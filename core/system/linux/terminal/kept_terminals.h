// SPDX-License-Identifier: Apache-2.0
// KeptTerminals: keeps the open pseudo-terminals of an agent in a socket that the agent and its guardian share since the fork. If the
// agent is killed, the kernel would drop what ranks have printed and the agent has not read; the guardian then writes it to the files.
// One thread.
#pragma once

#include <cstdint>

#include "core/system/posix/unique_fd.h"

namespace muster {

class KeptTerminals {
 public:
  // Create it before the fork. If the system refuses the socket, nothing is kept.
  KeptTerminals();

  // Agent: keeps a terminal and the file that its output is appended to, until drop(). Returns its number.
  uint64_t keep(int terminal, int output);
  void drop(uint64_t number);

  // Guardian, after all processes of the agent have ended: appends what is left in the terminals to their files.
  void drain();

 private:
  struct Kept {
    uint64_t number = 0;
    UniqueFd terminal;
    UniqueFd output;
  };
  // False: nothing is kept.
  bool take(Kept& kept);
  void put(uint64_t number, int terminal, int output);

  UniqueFd in_;
  UniqueFd out_;
  uint64_t last_ = 0;
};

}  // namespace muster
