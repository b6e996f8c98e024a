// SPDX-License-Identifier: Apache-2.0
// The signals that muster ignores in its own processes, so that a failed write returns an error: SIGPIPE (the reader has closed the
// pipe) and SIGXFSZ (the file would exceed the limit of file sizes). Programs that muster starts get the default action. Any thread.
#pragma once

#include <array>
#include <csignal>

namespace muster {

constexpr std::array<int, 2> kIgnoredSignals = {SIGPIPE, SIGXFSZ};

// The same as a set, for posix_spawnattr_setsigdefault(3).
inline sigset_t ignored_signal_set() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : kIgnoredSignals) sigaddset(&set, number);
  return set;
}

}  // namespace muster
