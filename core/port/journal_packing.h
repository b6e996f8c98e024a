// SPDX-License-Identifier: Apache-2.0
// JournalPacking: packs lines of a job's journal into bytes that agents keep. Loop thread only.
#pragma once

#include <string>
#include <vector>

namespace muster {

class JournalPacking {
 public:
  virtual ~JournalPacking() = default;

  // Packs lines, in order, into a part that contains its own length, for a controller that replaces this one. Empty: it is too
  // long.
  virtual std::string packed_journal(const std::vector<std::string>& lines) const = 0;
};

}  // namespace muster
