// SPDX-License-Identifier: Apache-2.0
#include "core/controller/job_table.h"

#include <algorithm>

namespace muster {
namespace {

// The time that the channels of a dismissed job have to deliver what was sent.
constexpr Duration kShutdownDelay = std::chrono::seconds(2);

}  // namespace

JobTable::JobTable(const ControllerPorts& ports, bool linger, std::function<void(const JobId& job)> changed)
    : ports_(ports),
      linger_(linger),
      changed_(std::move(changed)) {
  for (JobRecord& record : ports_.store.list()) records_[record.id] = std::move(record);
}

JobTable::~JobTable() { *alive_ = false; }

void JobTable::read_records() {
  JobRecords known;
  for (JobRecord& record : ports_.store.list()) known[record.id] = std::move(record);
  for (const auto& [id, coordinator] : live_) known[id] = records_[id];
  records_ = std::move(known);
}

std::shared_ptr<Coordinator> JobTable::live(const JobId& job) const {
  const auto found = live_.find(job);
  return found == live_.end() ? nullptr : found->second;
}

std::shared_ptr<Coordinator> JobTable::host(const JobId& job, JobFold fold, JobSecrets secrets) {
  const Backend& backend = *ports_.backends.find(fold.submission().spec.backend);
  auto coordinator = std::make_shared<Coordinator>(
      CoordinatorPorts{ports_.loop, backend, ports_.store, ports_.output, ports_.keeper, ports_.log}, std::move(fold),
      std::move(secrets), linger_);
  coordinator->on_change([this, job] { changed_(job); });
  live_[job] = coordinator;
  return coordinator;
}

std::shared_ptr<Coordinator> JobTable::host_of(const JobId& job) const {
  if (auto coordinator = live(job)) return coordinator;
  const auto left = dismissed_.find(job);
  return left == dismissed_.end() || left->second->has_output() ? nullptr : left->second;
}

std::shared_ptr<Coordinator> JobTable::host_of(const Hello& hello) const {
  if (!hello.job.empty()) return host_of(hello.job);
  const auto found = std::find_if(live_.begin(), live_.end(), [&](const auto& each) {
    return each.second->node_of(hello.incarnation).has_value();
  });
  return found == live_.end() ? nullptr : found->second;
}

void JobTable::dismiss(const JobId& job) {
  auto live = live_.extract(job);
  if (live.empty()) return;
  dismissed_[job] = std::move(live.mapped());
  forget_later(job);
}

void JobTable::forget_later(const JobId& job) {
  ports_.loop.at(ports_.loop.now() + kShutdownDelay, [this, alive = alive_, job] {
    const auto found = *alive ? dismissed_.find(job) : dismissed_.end();
    if (!*alive || found == dismissed_.end()) return;
    found->second->has_output() ? static_cast<void>(dismissed_.erase(found)) : forget_later(job);
  });
}

bool JobTable::waits_for_output() const {
  return std::any_of(dismissed_.begin(), dismissed_.end(), [](const auto& left) { return !left.second->has_output(); });
}

Result<std::shared_ptr<JobFold>> JobTable::read(const JobId& job) const {
  const Result<std::vector<std::string>> lines = ports_.store.read(job);
  if (!lines.ok()) return lines.status();
  Result<JobFold> fold = JobFold::replay(*lines);
  if (!fold.ok()) return fold.status();
  return std::make_shared<JobFold>(std::move(*fold));
}

Status JobTable::refuse_running(const JobId& job) {
  const JobRecord& record = records_[job];
  if (record.has_ended()) return Status();  // it may still be live if its final record is not written yet
  const std::string& name = record.name;
  if (is_live(job))
    return Status(Code::failed_precondition, name + " is " + record.state + "; stop it first: muster stop " + name);
  const Result<std::shared_ptr<JobFold>> fold = read(job);
  // A journal that only a newer muster can read, for example: its job may run.
  if (!fold.ok() && fold.status().code() != Code::not_found) return fold.status();
  if (!fold.ok() || (*fold)->state().phase == job::Phase::done) return Status();
  return Status(
      Code::failed_precondition,
      name +
          " runs inside the command that started it (muster torchrun, muster run --standalone); interrupt that "
          "command to stop the job");
}

}  // namespace muster
