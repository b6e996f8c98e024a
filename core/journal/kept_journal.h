// SPDX-License-Identifier: Apache-2.0
// KeptJournal: the copy of a job's journal that some agents keep, for a coordinator without a store (JournalPacking). Lines are
// packed into parts as they come, and each agent gets what it lacks, one slice at a time. Pure.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster {

class KeptJournal {
 public:
  // Packs lines into bytes that contain their own length; empty: they cannot be packed.
  using Pack = std::function<std::string(const std::vector<std::string>&)>;

  // Maximum bytes that agents keep; a longer journal is kept only up to that size.
  static constexpr size_t most = 16 << 20;
  static constexpr size_t slice = 1 << 20;  // maximum bytes in one desired state

  KeptJournal(Pack pack, std::vector<std::string> lines);

  void add(std::string line) { fresh_.push_back(std::move(line)); }
  // The next slice for an agent that has `kept` bytes; empty: it has all.
  std::string_view after(size_t kept);
  // True if `kept` is a prefix of this journal.
  bool begins_with(std::string_view kept) const { return packed_.compare(0, kept.size(), kept) == 0; }
  // True once, after the journal has grown beyond the maximum.
  bool overflowed() { return std::exchange(overflowed_, false); }

 private:
  void pack();

  const Pack pack_;
  std::string packed_;
  std::vector<std::string> fresh_;  // not packed yet
  bool full_ = false;
  bool overflowed_ = false;
};

}  // namespace muster
