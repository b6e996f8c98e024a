// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "core/base/text.h"
#include "core/machine/queue/queue.h"
#include "test/scenario/drivers.h"
#include "test/scenario/trace.h"

namespace muster::scenario {
namespace {

using namespace queue;

std::vector<uint32_t> numbers_of(const std::string& text) {
  std::vector<uint32_t> numbers;
  std::string rest = text;
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    numbers.push_back(static_cast<uint32_t>(parse_number(rest.substr(0, comma))));
    rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
  }
  return numbers;
}

std::string uuid(uint32_t index) { return "GPU-" + std::to_string(index); }

// Also accepts "-5".
int32_t signed_number(const std::string& text) {
  const bool negative = text.starts_with('-');
  const auto number = static_cast<int32_t>(parse_number(negative ? text.substr(1) : text));
  return negative ? -number : number;
}

// " on GPUs 0,1, CPUs 0, with 4 GiB"
std::string text_of(const Claim& claim) {
  std::vector<std::string> gpus, cpus;
  for (const std::string& gpu : claim.gpus) gpus.push_back(gpu.substr(4));
  for (const uint32_t cpu : claim.cpus) cpus.push_back(std::to_string(cpu));
  std::vector<std::string> parts;
  if (!gpus.empty()) parts.push_back("on GPU " + join(gpus, ","));
  if (!cpus.empty()) parts.push_back("on CPU " + join(cpus, ","));
  if (claim.memory_bytes > 0) parts.push_back("with " + humane_size(claim.memory_bytes));
  return parts.empty() ? "" : " " + join(parts, " ");
}

class QueueDriver final : public Driver {
 public:
  std::vector<std::string> run(const Command& command) override {
    trace_.clear();
    execute(command);
    decide_now();
    if (trace_.empty()) trace_.push_back("nothing changes");
    return trace_;
  }

 private:
  void execute(const Command& command) {
    if (command.verb == "machine") return build(command);
    if (command.verb == "job") return submit(command);
    if (command.verb == "other") return come(command);
    if (command.verb == "end") return end(command.plain(0));
    if (command.verb == "advance") {
      now_ += parse_time(command.plain(0));
      return;
    }
    order(command);
  }

  void build(const Command& command) {
    machine_.host = "here";
    for (uint32_t i = 0; i < command.number("gpus", 0); ++i) machine_.gpus.push_back({i, uuid(i), "", 0, -1});
    for (uint32_t i = 0; i < command.number("cpus", 4); ++i) machine_.cpus.push_back(i);
    machine_.memory_bytes = command.number("memory", 64) << 30;
  }

  void submit(const Command& command) {
    Waiting job;
    job.id = JobId::make(random_);
    job.name = command.plain(0);
    job.submitted = now_;
    job.place = {signed_number(command.option("priority", "0")), to_unix_nanos(now_),
                 command.has("hold") ? "its submitter (--hold, `hold: true` or `suspend: true`)" : ""};
    job.needs = {command.number("gpus", 0), command.number("cpus", 0), command.number("memory", 0) << 30};
    const std::string visible = command.option("visible", "");
    if (!visible.empty()) job.cuda_visible_devices = visible;
    job.takes_busy = command.has("take");
    waiting_.push_back(job);
    now_ += std::chrono::seconds(1);
  }

  void come(const Command& command) {
    Holder other{command.plain(0), {}, command.has("foreign")};
    for (const uint32_t gpu : numbers_of(command.option("gpus", ""))) other.claim.gpus.insert(uuid(gpu));
    for (const uint32_t cpu : numbers_of(command.option("cpus", ""))) other.claim.cpus.insert(cpu);
    other.claim.memory_bytes = command.number("memory", 0) << 30;
    holders_.push_back(other);
  }

  void end(const std::string& name) {
    if (std::erase_if(holders_, [&](const Holder& each) { return each.who == name; }) == 0)
      throw BadCommand("there is no holder " + name);
  }

  void order(const Command& command) {
    static const std::map<std::string, Act> acts = {
        {"hold", Act::hold},     {"release", Act::release}, {"first", Act::first},  {"last", Act::last},
        {"before", Act::before}, {"after", Act::after},     {"priority", Act::stay}};
    const auto act = acts.find(command.verb);
    if (act == acts.end()) throw BadCommand("unknown queue command `" + command.verb + "`");
    Order order{id_of(command.plain(0)), act->second, {}, {}, "nils"};
    const bool beside = act->second == Act::before || act->second == Act::after;
    if (beside) order.other = id_of(command.plain(1));
    if (act->second == Act::stay) order.priority = signed_number(command.plain(1));
    const auto changes = arrange(waiting_, order, now_);
    if (!changes.ok()) return trace_.push_back(changes.status().message());
    for (const Change& change : *changes) take(change);
  }

  void take(const Change& change) {
    for (Waiting& job : waiting_) {
      if (job.id != change.id) continue;
      job.place = change.place;
      trace_.push_back(job.name + (change.sentence.empty() ? " makes room" : ": " + change.sentence));
    }
  }

  // The id of a waiting job; a new id if no job of that name waits.
  JobId id_of(const std::string& name) {
    for (const Waiting& job : waiting_) {
      if (job.name == name) return job.id;
    }
    return JobId::make(random_);
  }

  std::string name_of(const JobId& id) const {
    return std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& job) { return job.id == id; })->name;
  }

  void decide_now() {
    const Decision decision = decide(machine_, holders_, waiting_);
    for (const Start& start : decision.starts) {
      const std::string name = name_of(start.id);
      trace_.push_back(name + " starts" + text_of(start.claim));
      holders_.push_back({name, start.claim, false});
      std::erase_if(waiting_, [&](const Waiting& job) { return job.id == start.id; });
      said_.erase(name);
    }
    for (const auto& [id, why] : decision.waits) {
      std::string& said = said_[name_of(id)];
      if (said != why) trace_.push_back(name_of(id) + " waits for " + why);
      said = why;
    }
  }

  Random random_{1};
  TimePoint now_ = kStoryBegins;
  Inventory machine_;
  std::vector<Holder> holders_;
  std::vector<Waiting> waiting_;
  std::map<std::string, std::string> said_;
  std::vector<std::string> trace_;
};

}  // namespace

std::unique_ptr<Driver> queue_driver() { return std::make_unique<QueueDriver>(); }

}  // namespace muster::scenario
