// SPDX-License-Identifier: Apache-2.0
#include "test/swarm/options.h"

#include <cstdlib>
#include <functional>
#include <map>

namespace muster::sim {
namespace {

std::set<size_t> numbers_of(const std::string& list) {
  std::set<size_t> numbers;
  if (list == "none") return numbers;
  for (size_t from = 0; from <= list.size();) {
    const size_t comma = std::min(list.find(',', from), list.size());
    numbers.insert(std::strtoull(list.substr(from, comma - from).c_str(), nullptr, 10));
    from = comma + 1;
  }
  return numbers;
}

void take_range(SwarmOptions& options, const std::string& range) {
  const size_t dots = range.find("..");
  options.first = std::strtoull(range.c_str(), nullptr, 10);
  options.last = dots == std::string::npos ? options.first : std::strtoull(range.c_str() + dots + 2, nullptr, 10);
}

using Take = std::function<void(SwarmOptions&, const std::string&)>;

const std::map<std::string, Take>& with_value() {
  static const std::map<std::string, Take> all{
      {"--seed",
       [](SwarmOptions& options, const std::string& value) {
         take_range(options, value);
         options.single = true;
       }},
      {"--seeds", take_range},
      {"--step", [](SwarmOptions& options,
                    const std::string& value) { options.step = std::strtoull(value.c_str(), nullptr, 10); }},
      {"--seconds",
       [](SwarmOptions& options, const std::string& value) { options.seconds = std::strtod(value.c_str(), nullptr); }},
      {"--faults", [](SwarmOptions& options, const std::string& value) { options.cut.faults = numbers_of(value); }},
      {"--jobs", [](SwarmOptions& options, const std::string& value) { options.cut.jobs = numbers_of(value); }},
  };
  return all;
}

const std::map<std::string, bool SwarmOptions::*>& switches() {
  static const std::map<std::string, bool SwarmOptions::*> all{
      {"--trace", &SwarmOptions::trace},   {"--shrink", &SwarmOptions::shrink}, {"--twice", &SwarmOptions::twice},
      {"--report", &SwarmOptions::report}, {"--stop", &SwarmOptions::stop},     {"--help", &SwarmOptions::help},
  };
  return all;
}

}  // namespace

const char* const kSwarmHelp = R"(swarm: runs simulated stories, each from a seed (docs/lab/reliability.md).

  --seed N          run one story. --trace: print its events as a table. --shrink: find the smallest part that fails
  --seeds A..B      run many. --step S: every S-th, --seconds T: for at most T seconds, --stop: until one fails
  --twice           run each story twice; both runs must be the same
  --faults LIST     only these faults of the story ("2,5", "none"). --jobs LIST: only these jobs. --calm: short delays
  --report          print numbers for scripts/swarm
)";

Result<SwarmOptions> swarm_options(int argc, char** argv) {
  SwarmOptions options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (const auto flag = switches().find(name); flag != switches().end()) {
      options.*flag->second = true;
    } else if (name == "--calm") {
      options.cut.calm = true;
    } else if (const auto taker = with_value().find(name); taker != with_value().end() && i + 1 < argc) {
      taker->second(options, argv[++i]);
    } else {
      return Status(Code::invalid_argument, "`" + name + "` is not an option; see --help");
    }
  }
  options.help |= options.last == 0;
  return options;
}

}  // namespace muster::sim
