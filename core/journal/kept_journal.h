// KeptJournal: a job's journal as some of its agents keep it, for a coordinator that has nothing else (JournalPacking). It grows by
// parts, packed as its lines come, and each agent is given what it lacks, a slice at a time. Pure.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster {

class KeptJournal {
 public:
  // Lines as bytes that tell their own end; empty: they cannot be packed.
  using Pack = std::function<std::string(const std::vector<std::string>&)>;

  // What agents have memory for; a journal that grows beyond is kept up to there.
  static constexpr size_t most = 16 << 20;
  static constexpr size_t slice = 1 << 20;  // of one desired state

  KeptJournal(Pack pack, std::vector<std::string> lines);

  void add(std::string line) { fresh_.push_back(std::move(line)); }
  // What comes next for one that keeps so many bytes; empty: it has all.
  std::string_view after(size_t kept);
  // Whether what somebody keeps is how ours begins.
  bool begins_with(std::string_view kept) const { return packed_.compare(0, kept.size(), kept) == 0; }
  // Once: it has grown beyond what is kept.
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
