// SPDX-License-Identifier: Apache-2.0
#include "core/agent/agent_output.h"

#include "core/base/text.h"

namespace muster {
namespace {

std::vector<RetainedOutput> retained(const std::vector<RankTask>& tasks) {
  std::vector<RetainedOutput> outputs;
  for (const RankTask& task : tasks)
    outputs.push_back({task.index, task.stdout_path, task.tty ? "" : task.stderr_path});
  return outputs;
}

}  // namespace

AgentOutput::AgentOutput(HostOutputPorts ports, std::string host, std::function<void()> changed)
    : ports_(ports),
      host_(std::move(host)),
      changed_(std::move(changed)),
      order_(ports_.loop, ports_.files, ports_.keeper, [this](uint32_t index, const std::string& path, uint64_t kept) {
        if (host_output_) host_output_->order_grew(index, path, kept);
      }) {}

void AgentOutput::bind(const Bind& bind, ChannelToCoordinator* channel) {
  max_bytes_ = bind.log_max_bytes;
  if (!bind.sends_output) return;
  host_output_ = std::make_unique<HostOutput>(ports_, bind.job, changed_);
  connect(channel);
}

void AgentOutput::connect(ChannelToCoordinator* channel) {
  channel_ = channel;
  if (host_output_) host_output_->connect(channel);
}

void AgentOutput::heard(const OutputTaken& taken) {
  if (host_output_) host_output_->heard(taken);
}

SetupTask AgentOutput::begin_setup(SetupTask task) {
  return host_output_ ? host_output_->begin_setup(std::move(task)) : task;
}

bool AgentOutput::prepare(const DesiredState& desired) {
  if (std::exchange(prepared_, desired.attempt) != desired.attempt) prepared_since_ = ports_.loop.now();
  refusal_.clear();
  Status created;
  for (const RankTask& task : desired.tasks) {
    if (created.ok() && desired.run) created = create(task, desired.attempt);
  }
  const std::string waits = std::exchange(waits_, "");
  if (created.ok()) return true;
  const std::string limit = humane_duration(kOutputPatience);
  if (ports_.loop.now() - prepared_since_ >= kOutputPatience) {
    refusal_ = "its output could not be stored for " + limit + ": " + created.message();
    return true;
  }
  waits_ = waits;
  if (!waits_.empty()) return false;
  waits_ = std::string(kOutputWaits) + "files" + (host_output_ ? " on " + host_ : "") + ": " + created.message() +
           ". After " + limit + " the attempt fails";
  changed_();
  return false;
}

// A rank with a terminal has one file.
Status AgentOutput::create(const RankTask& task, Attempt attempt) const {
  const RankTask here = host_output_ ? host_output_->placed(attempt, task) : task;
  const Status out = ports_.keeper.create(here.stdout_path);
  return out.ok() && !here.tty ? ports_.keeper.create(here.stderr_path) : out;
}

std::vector<RankTask> AgentOutput::begin(Attempt attempt, std::vector<RankTask> tasks) {
  if (host_output_) tasks = host_output_->begin(attempt, std::move(tasks));
  dropped_.clear();
  noted_.clear();
  retention_ = std::make_unique<OutputRetention>(ports_.keeper, max_bytes_);
  retention_->begin(retained(tasks));
  order_.begin(retained(tasks));
  return tasks;
}

std::string AgentOutput::enforce(std::string trouble) {
  if (!retention_) return trouble;
  const OutputRetention::Beat beat = retention_->beat(ports_.loop.now());
  for (const DroppedOutput& dropped : beat.dropped) {
    dropped_[dropped.index] += dropped.bytes;
    if (host_output_) host_output_->dropped(dropped);
  }
  return beat.troubles.empty() ? trouble : beat.troubles.back();
}

void AgentOutput::beat() {
  if (host_output_) host_output_->beat();
}

void AgentOutput::tell(Report& report) {
  std::vector<uint32_t> ended;
  for (const RankReport& rank : report.ranks) {
    if (rank.phase == RankPhase::exited) ended.push_back(rank.index);
  }
  order_.catch_up(ended);
  for (RankReport& rank : report.ranks) {
    const auto dropped = dropped_.find(rank.index);
    if (dropped != dropped_.end()) rank.dropped_bytes = dropped->second;
  }
  if (!noted_.empty()) report.trouble = noted_;
  if (!waits_.empty()) report.trouble = waits_;
  if (!host_output_) return;
  host_output_->tell(report);
  if (waits_.empty() && noted_.empty() && !host_output_->trouble().empty()) report.trouble = host_output_->trouble();
}

// The agent asks again when the coordinator acknowledges the last bytes, and with each heartbeat.
bool AgentOutput::holds_up_leaving() {
  if (!host_output_ || channel_ == nullptr) return false;
  host_output_->hurry();
  return !host_output_->over();
}

void AgentOutput::clear() {
  order_.begin({});
  if (host_output_) host_output_->clear();
}

}  // namespace muster
