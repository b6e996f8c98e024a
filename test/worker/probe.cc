// SPDX-License-Identifier: Apache-2.0
// worker_probe: a rank that makes the libmuster calls in its arguments, for test/e2e/test_libmuster.py: `worker_probe set k v ,
// barrier b , get k`. Prints the result of each call. An error is printed to stderr as "CODE: message", and the program exits
// with 1. `on RANK …` is done by one rank only, `in ATTEMPT …` only in one attempt.
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>

#include "muster/muster.hpp"

namespace {

using Words = std::vector<std::string>;
using Command = std::function<void(muster::Context&, const Words&)>;

void say(const std::string& text) { std::cout << text << std::endl; }

double seconds(const Words& words, size_t at) { return words.size() > at ? std::stod(words[at]) : 0; }

void place(muster::Context& job, const Words&) {
  const muster_place here = job.place();
  say(std::string(here.job) + " " + here.group + " " + std::to_string(here.rank) + "/" +
      std::to_string(here.world_size) + " local " + std::to_string(here.local_rank) + "/" +
      std::to_string(here.local_size) + " node " + std::to_string(here.node) + " attempt " +
      std::to_string(here.attempt) + " restarts " + std::to_string(here.restarts));
}

void progress(muster::Context& job, const Words& words) {
  job.progress(std::stoull(words[1]), std::stoull(words[2]), {{"loss", std::stod(words[3])}});
}

void fence(muster::Context& job, const Words& words) {
  std::string all;
  for (const std::string& value : job.fence(words[1], words[2] + std::to_string(job.rank()), seconds(words, 3)))
    all += value + " ";
  say(all);
}

// `reduce COUNT`: an all_reduce of COUNT ones of every rank.
void reduce(muster::Context& job, const Words& words) {
  muster::Communicator world = job.communicator();
  std::vector<float> values(std::stoul(words[1]), 1.0F);
  world.all_reduce(values);
  say("reduced " + std::to_string(values.size()) + " to " + std::to_string(static_cast<int>(values.back())));
}

// Every collective once, and the communicators within a node and across nodes.
void collect(muster::Context& job, const Words&) {
  muster::Communicator world = job.communicator();
  const auto rank = static_cast<int32_t>(job.rank());
  std::vector<int32_t> all(world.size());
  world.all_gather(&rank, all.data(), 1);
  std::string text = "gathered";
  for (const int32_t each : all) text += " " + std::to_string(each);
  int32_t mine = 0;
  world.reduce_scatter(all.data(), &mine, 1, muster::Reduce::max);
  double root = rank == 1 ? 2.5 : 0;
  world.broadcast(&root, 1, 1);
  int64_t passed = rank;
  if (rank == 0) world.send(&passed, 1, 1);
  if (rank == 1) world.receive(&passed, 1, 0);
  world.barrier();
  muster::Communicator node = muster::split_by_node(job, world);
  muster::Communicator across = muster::split_across_nodes(job, world);
  say(text + " scattered " + std::to_string(mine) + " broadcast " + std::to_string(root).substr(0, 3) + " received " +
      std::to_string(passed) + " node " + std::to_string(node.size()) + " across " + std::to_string(across.size()));
}

// Reduces until a peer is gone, then prints the error and whether it came within 1 s.
void reduce_until_broken(muster::Context& job, const Words& words) {
  muster::Communicator world = job.communicator();
  float value = 1;
  const auto began = std::chrono::steady_clock::now();
  // A rank that has its result may exit before the others have theirs.
  try {
    world.all_reduce(&value, &value, 1);
    if (job.rank() == 1) std::raise(std::stoi(words[1]));
    while (true) world.all_reduce(&value, &value, 1, muster::Reduce::max);
  } catch (const muster::Error& error) {
    const auto took = std::chrono::steady_clock::now() - began;
    say(std::to_string(error.code()) + ": " + error.what() + (took < std::chrono::seconds(1) ? " [soon]" : " [late]"));
  }
}

// A value that is too large for one write to a socket.
void large(muster::Context& job, const Words& words) {
  const std::string value(std::stoul(words[1]), 'x');
  job.set("large", value);
  say(job.get("large") == value ? "whole" : "broken");
}

// `count KEY TIMES`: adds 1 TIMES times and prints the sum.
void count(muster::Context& job, const Words& words) {
  int64_t sum = 0;
  for (int64_t times = std::stoll(words[2]); times > 0; --times) sum = job.add(words[1], 1);
  say(std::to_string(sum));
}

// Prints the remaining grace in seconds, rounded up.
void grace(muster::Context& job, const Words&) { say("grace " + std::to_string(std::ceil(job.stop_grace()))); }

void until_stop(muster::Context& job, const Words&) {
  // A barrier that no other rank enters fails when the attempt ends.
  while (!job.should_stop()) {
    try {
      job.wait("never set", 0.02);
    } catch (const muster::Error&) {
    }
  }
  say("stop: " + job.stop_reason());
}

// Waits without activity, except for one call at the beginning and one at the end.
void rest(muster::Context& job, const Words& words) {
  try {
    job.wait("never set", seconds(words, 1));
  } catch (const muster::Error&) {
  }
}

void end(muster::Context&, const Words& words) {
  if (words[1] == "kill") std::raise(SIGKILL);
  std::exit(std::stoi(words[1]));
}

const std::map<std::string, Command>& commands() {
  static const std::map<std::string, Command> all = {
      {"place", place},
      {"set", [](auto& job, auto& words) { job.set(words[1], words[2]); }},
      {"get", [](auto& job, auto& words) { say(job.get(words[1])); }},
      {"wait", [](auto& job, auto& words) { say(job.wait(words[1], seconds(words, 2))); }},
      {"add", [](auto& job, auto& words) { say(std::to_string(job.add(words[1], std::stoll(words[2])))); }},
      {"swap", [](auto& job, auto& words) { say(job.compare_and_set(words[1], words[2], words[3])); }},
      {"remove", [](auto& job, auto& words) { job.remove(words[1]); }},
      {"barrier", [](auto& job, auto& words) { job.barrier(words[1], seconds(words, 2)); }},
      {"fence", fence},
      {"progress", progress},
      {"reduce", reduce},
      {"collect", collect},
      {"reduce-until-broken", reduce_until_broken},
      {"watch", [](auto& job, auto&) { static_cast<void>(job.should_stop()); }},
      {"until-stop", until_stop},
      {"rest", rest},
      {"grace", grace},
      {"count", count},
      {"large", large},
      {"rejoin", [](auto& job, auto&) { job.rejoin(); }},
      {"pid", [](auto&, auto&) { say("pid " + std::to_string(getpid())); }},
      {"say", [](auto&, auto& words) { say(words[1]); }},
      {"end", end},
  };
  return all;
}

void obey(muster::Context& job, Words words) {
  while (words[0] == "on" || words[0] == "in") {
    if (std::stoul(words[1]) != (words[0] == "on" ? job.rank() : job.attempt())) return;
    words.erase(words.begin(), words.begin() + 2);
  }
  commands().at(words[0])(job, words);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    muster::Context job = muster::Context::from_environment();
    Words words;
    for (int i = 1; i <= argc; ++i) {
      const bool ends = i == argc || std::string(argv[i]) == ",";
      if (!ends) words.emplace_back(argv[i]);
      if (ends && !words.empty()) obey(job, std::exchange(words, {}));
    }
  } catch (const muster::Error& error) {
    std::cerr << error.code() << ": " << error.what() << std::endl;
    return 1;
  }
  return 0;
}
