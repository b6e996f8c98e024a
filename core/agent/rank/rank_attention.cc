// SPDX-License-Identifier: Apache-2.0
#include "core/agent/rank/rank_attention.h"

#include "core/base/text.h"

namespace muster {
namespace {

constexpr size_t kMostOfScope = 120;  // bytes in a sentence

}  // namespace

RankAttention::RankAttention(RankAttentionPorts ports, Calls calls, std::function<void()> changed)
    : ports_(ports),
      calls_(std::move(calls)),
      watch_({ports_.loop, ports_.probe},
             {[this] { look(); }, std::move(changed),
              [this](uint32_t index) { return ranks_ == nullptr ? "" : ranks_->printed_exception(index); }}),
      timers_({ports_.loop, ports_.timers}, [this](const ExpiredTimer& timer) { end_expired(timer); }) {}

void RankAttention::begin(RankSet* ranks) {
  ranks_ = ranks;
  watch_.begin();
}

std::string RankAttention::offer_timers(const Bind& bind, std::vector<RankTask>& tasks) {
  std::map<std::string, std::string> environment = tasks.empty() ? decltype(environment)() : tasks[0].environment;
  environment.insert(bind.environment.begin(), bind.environment.end());  // a task's own win
  const Result<std::string> file = timers_.begin(environment, bind.workdir);
  if (!file.ok()) return file.status().message();
  if (file->empty()) return "";
  for (RankTask& task : tasks) task.environment[FileTimers::kFile] = *file;
  return "";
}

void RankAttention::obey(const DesiredState& desired) {
  watch_.examine(desired.run && desired.examine);
  watch_.measure(desired.run && desired.measure);
  watch_.look_every(desired.look_every);
}

void RankAttention::look() {
  if (ranks_ == nullptr) return;
  std::vector<WatchedRank> watched;
  for (RankSet::Running& rank : ranks_->running())
    watched.push_back({rank.index, rank.pid, std::move(rank.outputs), calls_(rank.index)});
  watch_.look(watched);
}

void RankAttention::resume_stopped() {
  for (const uint32_t index : watch_.stopped()) ranks_->resume(index);
}

void RankAttention::tell(Report& report) const {
  for (RankReport& rank : report.ranks) watch_.tell(rank);
}

// The process that set the timer may be another process in the rank's session, such as a worker, or a child of the shell that
// started it.
void RankAttention::end_expired(const ExpiredTimer& timer) {
  if (ranks_ == nullptr) return;
  const int64_t leader = ports_.timers.session_of(timer.pid);
  const std::string scope = "`" + escaped(timer.scope.substr(0, kMostOfScope)) + "`";
  for (const RankSet::Running& rank : ranks_->running()) {
    if (rank.pid != leader) continue;
    const std::string whose = timer.pid == leader
                                  ? "its timer " + scope
                                  : "the timer " + scope + " of its process " + std::to_string(timer.pid);
    return ranks_->expire(rank.index, timer.signal, whose + " expired");
  }
  ports_.log.info("the timer " + scope + " of process " + std::to_string(timer.pid) +
                  " expired; the process belongs to no rank");
}

}  // namespace muster
