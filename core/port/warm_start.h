// WarmStart: ranks of Python programs that need not import what they begin with: they are forked from a process that has
// done so (DESIGN.md §6). To everybody else they are as if they had been executed; what cannot be forked that way is executed.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/port/process_host.h"

namespace muster {

// How the sentence begins that tells why: nothing is lost by it.
constexpr std::string_view kNotWarm = "ranks are started without warm imports";

// How a job wants its ranks started.
struct WarmTask {
  std::vector<std::string> modules;  // to import before
  bool automatic = true;             // no: `modules` and nothing else, and that they cannot be had is a remark
  bool always = false;               // also where nothing is known yet that the program imports
  std::set<std::string> place;       // variables that tell a rank its place; imports do not depend on them
  bool operator==(const WarmTask&) const = default;
};

class WarmStart {
 public:
  virtual ~WarmStart() = default;

  // Readies the next spawn() of these ranks. `ready` runs once, within the call or in a later turn, with what people should
  // know: why ranks are executed although they need not be; a newer call silences it.
  virtual void prepare(const std::vector<SpawnRequest>& ranks, const WarmTask& task,
                       std::function<void(const std::string& remark)> ready) = 0;

  // What is ready for the next rank, for people: "train.py"; empty: nothing.
  virtual std::string warm() const = 0;
};

// Every rank is executed.
class NoWarmStart final : public WarmStart {
 public:
  void prepare(const std::vector<SpawnRequest>&, const WarmTask&,
               std::function<void(const std::string&)> ready) override {
    ready("");
  }
  std::string warm() const override { return ""; }
};

}  // namespace muster
