// SPDX-License-Identifier: Apache-2.0
// swarm: runs simulated stories from seeds. Its help is in options.cc.

#include <chrono>
#include <ctime>
#include <iostream>

#include "test/sim/story.h"
#include "test/swarm/options.h"
#include "test/swarm/shrink.h"

namespace muster::sim {
namespace {

StoryEnd play(const StoryPlan& plan, bool twice) {
  StoryEnd end = Story(plan).run();
  if (twice && Story(plan).run().hash != end.hash) end.breaches.emplace_back("the same seed gave a different story");
  return end;
}

void tell_failure(uint64_t seed, const SwarmOptions& options, const StoryEnd& end) {
  std::cout << "failed " << seed << to_arguments(options.cut) << "\n";
  for (const std::string& breach : end.breaches) std::cout << "  breach " << breach << "\n";
}

// Sums over many stories.
class Counts {
 public:
  void add(const StoryEnd& end) {
    ++stories_;
    launches_ += end.launches;
    events_ += end.events;
    simulated_ += end.simulated;
    for (const auto& [kind, count] : end.faults) faults_[name_of(kind)] += count;
    for (const auto& [state, count] : end.ends) ends_[state] += count;
  }
  void print() const {
    std::cout << "stories\t" << stories_ << "\nranks\t" << launches_ << "\nhost-seconds\t"
              << simulated_ / std::chrono::seconds(1) << "\nevents\t" << events_ << "\ncpu-seconds\t"
              << std::clock() / CLOCKS_PER_SEC << "\n";
    for (const auto& [kind, count] : faults_) std::cout << "fault\t" << kind << "\t" << count << "\n";
    for (const auto& [state, count] : ends_) std::cout << "end\t" << state << "\t" << count << "\n";
    for (const auto& [pair, count] : Story::coverage())
      std::cout << "pair\t" << watch::to_text(pair) << "\t" << count << "\n";
    for (const watch::Pair& pair : watch::all_pairs()) {
      if (Story::coverage().count(pair) == 0) std::cout << "pair\t" << watch::to_text(pair) << "\t0\n";
    }
  }

 private:
  uint64_t stories_ = 0;
  uint64_t launches_ = 0;
  uint64_t events_ = 0;
  Duration simulated_{0};
  std::map<std::string, uint64_t> faults_;
  std::map<std::string, uint64_t> ends_;
};

int play_one(const SwarmOptions& options) {
  const uint64_t seed = options.first;
  const StoryPlan plan = cut_out(plan_of(seed), options.cut);
  Trace trace;
  const StoryEnd end = Story(plan, options.trace ? &trace : nullptr).run();
  std::cout << to_text(plan);
  if (options.trace) trace.print(std::cout);
  for (const auto& [state, count] : end.ends) std::cout << count << " " << state << "\n";
  if (!end.breaches.empty()) tell_failure(seed, options, end);
  return end.breaches.empty() ? 0 : 1;
}

int shrink_one(const SwarmOptions& options) {
  const StoryPlan plan = plan_of(options.first);
  const auto fails = [&](const Cut& cut) { return !play(cut_out(plan, cut), options.twice).breaches.empty(); };
  if (!fails({})) {
    std::cout << "seed " << options.first << " does not fail; there is nothing to shrink\n";
    return 0;
  }
  SwarmOptions small = options;
  small.cut = shrink(plan, fails);
  play_one(small);
  std::cout << "to trace it: scripts/swarm --seed " << options.first << to_arguments(small.cut) << " --trace\n";
  return 1;
}

int play_many(const SwarmOptions& options) {
  const auto began = std::chrono::steady_clock::now();
  const auto passed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(); };
  Counts counts;
  uint64_t failures = 0;
  for (uint64_t seed = options.first; seed <= options.last; seed += options.step) {
    if (options.seconds > 0 && passed() > options.seconds) break;
    const StoryEnd end = play(cut_out(plan_of(seed), options.cut), options.twice);
    counts.add(end);
    if (end.breaches.empty()) continue;
    ++failures;
    tell_failure(seed, options, end);
    std::cout << std::flush;
    if (options.stop) break;
  }
  if (options.report) counts.print();
  return failures == 0 ? 0 : 1;
}

int run(int argc, char** argv) {
  const Result<SwarmOptions> options = swarm_options(argc, argv);
  if (!options.ok()) {
    std::cerr << "swarm: " << options.status().message() << "\n";
    return 2;
  }
  if (options->help) {
    std::cout << kSwarmHelp;
    return 0;
  }
  if (options->shrink) return shrink_one(*options);
  return options->single ? play_one(*options) : play_many(*options);
}

}  // namespace
}  // namespace muster::sim

int main(int argc, char** argv) { return muster::sim::run(argc, argv); }
