// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/examine/rank_examination.h"

#include <future>
#include <optional>

#include "core/rank/flight_record.h"
#include "core/system/linux/examine/flight_recorder.h"
#include "core/system/linux/examine/nccl_ras.h"
#include "core/system/linux/examine/process_life.h"
#include "core/system/linux/examine/python_stack.h"
#include "core/system/linux/examine/thread_places.h"
#include "core/system/linux/proc_files.h"

namespace muster {
namespace {

using Sentences = std::vector<std::string>;

struct Examined {
  RecordedProcess process;
  RankLocation location;
  std::optional<FlightRecorder> recorder;
  std::future<Sentences> network;  // set for the rank that asks for all ranks of its node
};

// Replaces the native function: the interpreter's own functions are less useful. Python's main thread may be another thread than
// the process's first one, in a program that embeds Python.
void add_python(RankLocation& location, const PythonStack& python, int64_t first_thread) {
  if (!python.innermost.empty()) {
    const bool same = python.thread == 0 || python.thread == first_thread;
    const std::string call = same ? location.place.substr(0, location.place.find(", called by"))
                                  : call_of_thread(location.stack, python.thread);
    location.place = python.innermost + (call.empty() ? "" : ", in " + call);
  }
  location.stack = python.text + location.stack;
}

void add_collectives(RankLocation& location, const FlightRecorder& recorder) {
  if (auto record = recorder.answer()) location.collectives = std::move(*record);
  location.stack = flight_record_lines(location.collectives) + location.stack;
}

void add_network(RankLocation& location, Sentences sentences) {
  location.network = std::move(sentences);
  for (const std::string& sentence : location.network) location.stack = "  " + sentence + "\n" + location.stack;
}

// Only local rank 0 asks: one NCCL process reports on all of them.
std::future<Sentences> network_of(const RecordedProcess& process) {
  const auto address = process.environment.find("NCCL_RAS_ADDR");
  const auto local = process.environment.find("LOCAL_RANK");
  const bool asks = address != process.environment.end() && local != process.environment.end() && local->second == "0";
  if (!asks) return {};
  return std::async(std::launch::async,
                    [at = address->second, own = own_number(process.pid)] { return ask_ras(at, own); });
}

Examined first_look(pid_t leader) {
  const std::optional<AwaitedProcess> awaited = awaited_process(leader);
  const pid_t pid = awaited ? awaited->pid : leader;
  return {{pid, read_environment(pid)}, locate_threads(pid), std::nullopt, {}};
}

}  // namespace

void examine_ranks(const std::vector<pid_t>& leaders, const TellLocation& tell) {
  std::vector<Examined> ranks;
  for (const pid_t leader : leaders) {
    ranks.push_back(first_look(leader));
    tell(ranks.size() - 1, ranks.back().location, true);
  }
  for (Examined& rank : ranks) rank.network = network_of(rank.process);
  for (Examined& rank : ranks) rank.recorder.emplace(rank.process);
  for (size_t i = 0; i < ranks.size(); ++i) {
    const pid_t pid = ranks[i].process.pid;
    add_python(ranks[i].location, python_stack(pid), own_number(pid));
    add_collectives(ranks[i].location, *ranks[i].recorder);
    tell(i, ranks[i].location, ranks[i].network.valid());
  }
  for (size_t i = 0; i < ranks.size(); ++i) {
    if (!ranks[i].network.valid()) continue;
    add_network(ranks[i].location, ranks[i].network.get());
    tell(i, ranks[i].location, false);
  }
}

}  // namespace muster
