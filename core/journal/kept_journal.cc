// SPDX-License-Identifier: Apache-2.0
#include "core/journal/kept_journal.h"

namespace muster {

KeptJournal::KeptJournal(Pack pack, std::vector<std::string> lines)
    : pack_(std::move(pack)),
      fresh_(std::move(lines)) {}

std::string_view KeptJournal::after(size_t kept) {
  pack();
  if (kept >= packed_.size()) return {};
  return std::string_view(packed_).substr(kept, slice);
}

void KeptJournal::pack() {
  if (fresh_.empty()) return;
  const std::string part = full_ ? std::string() : pack_(fresh_);
  fresh_.clear();
  if (full_) return;
  full_ = part.empty() || packed_.size() + part.size() > most;
  if (full_) {
    overflowed_ = true;
  } else {
    packed_ += part;
  }
}

}  // namespace muster
