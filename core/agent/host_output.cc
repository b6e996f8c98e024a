// SPDX-License-Identifier: Apache-2.0
#include "core/agent/host_output.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/output/order_index.h"

namespace muster {
namespace {

// Least time between two sends: small writes of many ranks become few messages, and a line is seen this much later.
constexpr Duration kPace = std::chrono::milliseconds(20);
// A rank's end is reported at most this much later, so that its last output arrives first …
constexpr Duration kLastOutput = std::chrono::seconds(2);
// … unless more than this is still to be sent.
constexpr uint64_t kMostLastOutput = kOutputWindow;
// An agent that is about to exit gives up sending after this long without progress.
constexpr Duration kNoProgress = std::chrono::seconds(30);

// The number of earlier attempts whose unsent output a new agent looks for.
constexpr Attempt kAttemptsLeft = 8;

std::string without_ending(const std::string& path) { return path.substr(0, path.rfind('.')); }

}  // namespace

HostOutput::HostOutput(HostOutputPorts ports, const JobId& job, std::function<void()> changed)
    : ports_(ports),
      job_(job),
      changed_(std::move(changed)),
      uploader_(ports_.files, [this](const OutputBytes& bytes) { channel_->send(bytes); }) {}

HostOutput::~HostOutput() { ports_.loop.cancel(pump_timer_); }

std::vector<RankTask> HostOutput::begin(Attempt attempt, std::vector<RankTask> tasks) {
  const bool first = !std::exchange(begun_, true);
  remove_before(attempt);
  attempt_ = attempt;
  reported_.clear();
  ended_.clear();
  for (RankTask& task : tasks) place(task);
  for (const RankTask& task : tasks) {
    if (first) find_left_behind(task);
  }
  watch_ = ports_.files.watch(job_, attempt, [this](const std::vector<std::string>& paths) { look(paths); });
  return tasks;
}

SetupTask HostOutput::begin_setup(SetupTask task) {
  attempt_ = task.attempt;
  const std::string there = without_ending(task.output_path);
  const auto path = ports_.files.path(job_, attempt_, there.substr(there.rfind('/') + 1), OutputStream::setup);
  task.output_path = path.ok() ? *path : "";
  if (path.ok()) uploader_.add({attempt_, task.index, OutputStream::setup}, *path);
  if (path.ok()) folder_ = path->substr(0, path->rfind('/'));
  watch_ = ports_.files.watch(job_, attempt_, [this](const std::vector<std::string>& paths) { look(paths); });
  return task;
}

// The coordinator names the output "JOB/attempt-2/worker-0.out". Variables with paths of files beside it are changed too.
RankTask HostOutput::placed(Attempt attempt, RankTask task) const {
  const std::string there = without_ending(task.stdout_path);
  const std::string name = there.substr(there.rfind('/') + 1);
  const Result<std::string> out = ports_.files.path(job_, attempt, name, OutputStream::out);
  const std::string here = out.ok() ? without_ending(*out) : "";
  for (auto& [variable, value] : task.environment) {
    if (value.starts_with(there + ".")) value = out.ok() ? here + value.substr(there.size()) : "";
  }
  task.stdout_path = out.ok() ? *out : "";
  task.stderr_path = out.ok() ? here + ".err" : "";
  return task;
}

void HostOutput::place(RankTask& task) {
  task = placed(attempt_, std::move(task));
  uploader_.add({attempt_, task.index, OutputStream::out}, task.stdout_path);
  if (!task.tty) uploader_.add({attempt_, task.index, OutputStream::err}, task.stderr_path);
  uploader_.add({attempt_, task.index, OutputStream::order}, order_path(task.stdout_path));
  folder_ = task.stdout_path.substr(0, task.stdout_path.rfind('/'));
}

// If an earlier agent was killed or its host restarted, its unsent output is still in the files of its attempts.
void HostOutput::find_left_behind(const RankTask& task) {
  const std::string own = "/attempt-" + std::to_string(attempt_) + "/";
  for (Attempt ago = 1; ago <= kAttemptsLeft && ago < attempt_; ++ago) {
    for (const OutputStream stream : {OutputStream::out, OutputStream::err, OutputStream::order}) {
      std::string path = without_ending(task.stdout_path) + ending_of(stream);
      const size_t at = path.rfind(own);
      if (at == std::string::npos) continue;
      path.replace(at, own.size(), "/attempt-" + std::to_string(attempt_ - ago) + "/");
      const OutputFile file{attempt_ - ago, task.index, stream};
      uploader_.add(file, path);
      uploader_.dropped(file, ports_.files.first_kept(path));
    }
  }
}

void HostOutput::connect(ChannelToCoordinator* channel) {
  channel_ = channel;
  uploader_.connect(channel != nullptr);
  ended_.clear();
  progressed_ = ports_.loop.now();
  pump();
}

void HostOutput::look(const std::vector<std::string>& paths) {
  uploader_.grew(paths);
  pump_soon();
}

void HostOutput::pump_soon() {
  if (pump_timer_ != 0 || channel_ == nullptr) return;
  const TimePoint next = pumped_ + kPace;
  if (ports_.loop.now() >= next) return pump();
  pump_timer_ = ports_.loop.at(next, [this] {
    pump_timer_ = 0;
    pump();
  });
}

void HostOutput::pump() {
  if (channel_ == nullptr) return;
  pumped_ = ports_.loop.now();
  uploader_.pump();
}

void HostOutput::heard(const OutputTaken& taken) {
  if (uploader_.taken(taken)) pump();
  if (ended_.empty() && !hurries_) return;
  const bool of_ended = taken.file.attempt == attempt_ && ended_.count(taken.file.index) > 0;
  if (of_ended && uploader_.left_of(attempt_, taken.file.index) == 0) return changed_();
  if (hurries_ && over()) changed_();
}

void HostOutput::dropped(const DroppedOutput& dropped) {
  uploader_.dropped({attempt_, dropped.index, dropped.stream}, dropped.total);
}

void HostOutput::order_grew(uint32_t index, const std::string& path, uint64_t kept) {
  uploader_.dropped({attempt_, index, OutputStream::order}, kept);
  look({path});
}

void HostOutput::beat() {
  look({});
  remove_before(attempt_);
  if (std::exchange(acknowledged_, uploader_.acknowledged()) != uploader_.acknowledged())
    progressed_ = ports_.loop.now();
  const OutputUploader::Left left = uploader_.left();
  if (!hurries_ || gave_up_ || left.bytes == 0 || ports_.loop.now() - progressed_ < kNoProgress) return;
  gave_up_ = true;
  trouble_ = "could not send " + humane_size(left.bytes) + " of rank output to the coordinator; it stays in " + folder_;
}

void HostOutput::tell(Report& report) {
  const bool ends = std::any_of(report.ranks.begin(), report.ranks.end(), [this](const RankReport& rank) {
    return rank.phase == RankPhase::exited && reported(rank.index) != RankPhase::exited;
  });
  if (ends) uploader_.grew();
  if (ends) pump();
  const OutputUploader::Left left = uploader_.left();
  report.output_left = left.bytes;
  report.output_attempt = left.oldest;
  for (RankReport& rank : report.ranks) {
    if (rank.phase == RankPhase::exited && holds_end(rank, left.bytes)) {
      rank.phase = reported(rank.index);
      rank.exit = ExitStatus();
      rank.ended = TimePoint();
      report.quiet = false;
    }
    reported_[rank.index] = rank.phase;
  }
}

// A rank may have ended before the first report.
RankPhase HostOutput::reported(uint32_t index) const {
  const auto found = reported_.find(index);
  return found == reported_.end() ? RankPhase::starting : found->second;
}

bool HostOutput::holds_end(const RankReport& rank, uint64_t left) {
  if (reported(rank.index) == RankPhase::exited || left > kMostLastOutput) return false;
  if (uploader_.left_of(attempt_, rank.index) == 0) return false;
  const TimePoint since = ended_.try_emplace(rank.index, ports_.loop.now()).first->second;
  return ports_.loop.now() - since < kLastOutput;
}

void HostOutput::hurry() {
  if (!std::exchange(hurries_, true)) progressed_ = ports_.loop.now();
}

void HostOutput::remove_before(Attempt attempt) {
  for (const std::string& path : uploader_.forget_before(attempt)) ports_.keeper.remove_rank(path);
}

void HostOutput::clear() {
  watch_.reset();
  remove_before(attempt_ + 1);
}

}  // namespace muster
