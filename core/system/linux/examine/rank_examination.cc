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
  RankLocation standing;
  std::optional<FlightRecorder> recorder;
  std::future<Sentences> network;  // of one that asks for all of its node
};

// The interpreter's own functions tell less.
void add_python(RankLocation& standing, const PythonStack& python) {
  if (!python.innermost.empty())
    standing.place = python.innermost + ", in " + standing.place.substr(0, standing.place.find(", called by"));
  standing.stack = python.text + standing.stack;
}

void add_collectives(RankLocation& standing, const FlightRecorder& recorder) {
  if (auto record = recorder.answer()) standing.collectives = std::move(*record);
  standing.stack = flight_record_lines(standing.collectives) + standing.stack;
}

void add_network(RankLocation& standing, Sentences sentences) {
  standing.network = std::move(sentences);
  for (const std::string& sentence : standing.network) standing.stack = "  " + sentence + "\n" + standing.stack;
}

// One of a node's ranks asks for all: NCCL's processes know of each other.
std::future<Sentences> network_of(const RecordedProcess& process) {
  const auto address = process.environment.find("NCCL_RAS_ADDR");
  const auto local = process.environment.find("LOCAL_RANK");
  const bool asks = address != process.environment.end() && local != process.environment.end() && local->second == "0";
  if (!asks) return {};
  return std::async(std::launch::async,
                    [at = address->second, own = own_number(process.pid)] { return ask_ras(at, own); });
}

Examined first_look(pid_t leader) {
  const std::optional<ProcessStat> awaited = awaited_process(leader);
  const pid_t pid = awaited ? awaited->pid : leader;
  return {{pid, read_environment(pid)}, where_it_stands(pid), std::nullopt, {}};
}

}  // namespace

void examine_ranks(const std::vector<pid_t>& leaders, const TellStanding& tell) {
  std::vector<Examined> ranks;
  for (const pid_t leader : leaders) {
    ranks.push_back(first_look(leader));
    tell(ranks.size() - 1, ranks.back().standing, true);
  }
  for (Examined& rank : ranks) rank.network = network_of(rank.process);
  for (Examined& rank : ranks) rank.recorder.emplace(rank.process);
  for (size_t i = 0; i < ranks.size(); ++i) {
    add_python(ranks[i].standing, python_stack(ranks[i].process.pid));
    add_collectives(ranks[i].standing, *ranks[i].recorder);
    tell(i, ranks[i].standing, ranks[i].network.valid());
  }
  for (size_t i = 0; i < ranks.size(); ++i) {
    if (!ranks[i].network.valid()) continue;
    add_network(ranks[i].standing, ranks[i].network.get());
    tell(i, ranks[i].standing, false);
  }
}

}  // namespace muster
