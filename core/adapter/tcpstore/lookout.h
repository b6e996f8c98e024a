// Lookout: whether a server that has served everybody looks for the next request before it sleeps. To sleep costs a client the wake-up of
// its server, tens of microseconds on many machines. Where a CPU is left over, it looks on for a while, and only while that finds something:
// it costs that CPU. Where clients take every CPU, it gives way to them once and then takes a look: they ask in the meantime. Pure.
#pragma once

#include <algorithm>
#include <cstddef>

namespace muster::tcpstore {

enum class Look { none, after_giving_way, on };

class Lookout {
 public:
  explicit Lookout(size_t cpus) : cpus_(cpus) {}

  // Asked once after a turn that served somebody.
  Look look(size_t clients) {
    if (clients == 0) return Look::none;
    if (clients >= cpus_) return Look::after_giving_way;
    return skipped_ == 0 || --skipped_ == 0 ? Look::on : Look::none;
  }

  // How looking on ended. After each time in vain twice as many turns sleep at once.
  void looked(bool found) {
    in_vain_ = found ? 0 : std::min(in_vain_ + 1, kMost);
    skipped_ = found ? 0 : size_t{1} << in_vain_;
  }

 private:
  static constexpr size_t kMost = 10;

  const size_t cpus_;
  size_t in_vain_ = 0;
  size_t skipped_ = 0;
};

}  // namespace muster::tcpstore
