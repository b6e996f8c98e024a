// SPDX-License-Identifier: Apache-2.0
// The report of a program of scripts/bench to its driver: lines in a separate file, written after the measurement so that
// writing is not measured. sides.py reads them.
//
//   passed NS                      when it had passed the barrier
//   loop NAME BEGAN ENDED COUNT    COUNT operations in a row, without reading the clock in between
//   calls NAME NS…                 the duration of each of other operations
//
// Nanoseconds of CLOCK_MONOTONIC, which all processes of a machine share, and Python's time.monotonic_ns().
#pragma once

#include <ctime>

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace bench {

inline int64_t now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

class Report {
 public:
  // Writes `folder`/`rank` when destroyed.
  Report(const std::string& folder, unsigned rank) : path_(folder + "/" + std::to_string(rank)) {}
  ~Report() { std::ofstream(path_) << lines_; }
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;

  void passed() { lines_ += "passed " + std::to_string(now()) + "\n"; }

  template <typename Act>
  void loop(const std::string& name, int count, Act act) {
    const int64_t began = now();
    for (int i = 0; i < count; ++i) act();
    lines_ +=
        "loop " + name + " " + std::to_string(began) + " " + std::to_string(now()) + " " + std::to_string(count) + "\n";
  }

  template <typename Act>
  void calls(const std::string& name, int count, Act act) {
    std::vector<int64_t> took;
    took.reserve(count);
    for (int i = 0; i < count; ++i) {
      const int64_t began = now();
      act();
      took.push_back(now() - began);
    }
    lines_ += "calls " + name;
    for (const int64_t each : took) lines_ += " " + std::to_string(each);
    lines_ += "\n";
  }

 private:
  std::string path_;
  std::string lines_;
};

}  // namespace bench
