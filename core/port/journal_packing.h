// JournalPacking: makes lines of a job's journal into bytes that agents keep. Loop thread only.
#pragma once

#include <string>
#include <vector>

namespace muster {

class JournalPacking {
 public:
  virtual ~JournalPacking() = default;

  // Lines in their order, as agents keep them for a controller that comes in our place: a part that tells its own end. Empty: it
  // is too long.
  virtual std::string packed_journal(const std::vector<std::string>& lines) const = 0;
};

}  // namespace muster
