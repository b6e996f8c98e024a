// Controller: the jobs that another process hosted, taken over when it is gone.

#include "core/attempt/secrets_file.h"
#include "core/controller/controller.h"
#include "core/journal/job_lookup.h"
#include "core/journal/journal_copy.h"

namespace muster {

void Controller::recover() {
  adopts_ = true;
  refresh_records();
  admit_queued();
  keep_bounded();
}

void Controller::read_records() {
  JobRecords known;
  for (JobRecord& record : ports_.store.list()) known[record.id] = std::move(record);
  for (const auto& [id, coordinator] : live_) known[id] = records_[id];
  records_ = std::move(known);
}

// Other processes host jobs in the same store (run --standalone): theirs are seen here, and taken over when their host
// is gone.
void Controller::refresh_records() {
  if (ports_.store.changed_elsewhere()) read_records();
  if (!adopts_) return;
  JobRecords orphans;
  for (const auto& [id, record] : records_) {
    if (!record.has_ended() && live_.count(id) == 0) orphans[id] = record;
  }
  for (const JobRecord* orphan : by_age(orphans)) {
    if (ports_.store.own(orphan->id)) take_over(orphan->id);
  }
}

void Controller::take_over(const JobId& job) {
  const Result<std::vector<std::string>> lines = ports_.store.read(job);
  // Its submit was cut off before its first line: the user was told nothing, and may say it again.
  if (lines.ok() && lines->empty()) {
    if (const Status removed = ports_.store.remove(job); !removed.ok()) ports_.log.error(removed.message());
    records_.erase(job);
    return;
  }
  Result<JobFold> fold = lines.ok() ? JobFold::replay(*lines) : Result<JobFold>(lines.status());
  if (fold.ok() && fold->submission().copy) return end_copy(job, std::move(*fold));
  const Result<std::string> text = ports_.store.read_private(job, kSecretsFile);
  Result<JobSecrets> secrets = text.ok() ? decode_secrets(*text) : Result<JobSecrets>(text.status());
  if (!fold.ok() || !secrets.ok()) return leave_alone(job, fold.ok() ? secrets.status() : fold.status());
  const job::Phase phase = fold->state().phase;
  if (phase == job::Phase::done) return settle_record(job, *fold);
  const BackendKind kind = fold->submission().spec.backend;
  if (ports_.backends.find(kind) == nullptr)
    return leave_alone(job, Status(Code::unimplemented, "this muster has no backend " + std::string(to_string(kind))));
  const bool standalone = fold->submission().standalone;
  host(job, std::move(*fold), std::move(*secrets));
  if (phase == job::Phase::queued) queue_.insert(job);
  const std::shared_ptr<Coordinator> coordinator = live_[job];
  const Submission& submission = coordinator->fold().submission();
  const Status told = phase == job::Phase::queued
                          ? Status()
                          : coordinator->backend().claim(coordinator->on_nodes(submission.plan, true));
  if (!told.ok()) ports_.log.warning(submission.name + ": " + told.message());
  if (standalone)
    coordinator->happen(job::StopAsked{Duration(0), "the muster run --standalone that hosted it was killed"});
  if (!coordinator->done()) coordinator->take_over();
  if (!standalone) coordinator->remark("a new controller took the job over");
}

// Nobody will ever tell it more.
void Controller::end_copy(const JobId& job, JobFold fold) {
  const bool open = fold.state().phase != job::Phase::done;
  const std::string why = "the command on this host was killed; the hosts it met know what became of the job";
  const Status closed = open ? close_copy(fold, ports_.store, ports_.loop.now(), why) : Status();
  if (!closed.ok()) ports_.log.warning(closed.message());
  settle_record(job, fold);
}

// What is damaged stays so: the job has failed. All else may pass (no descriptors, a newer muster's journal), and its
// agents wait.
void Controller::leave_alone(const JobId& job, const Status& why) {
  ports_.log.error("job " + records_[job].name + " cannot be taken over: " + why.message());
  if (why.code() == Code::data_loss) {
    records_[job].state = "failed";
    records_[job].ended = ports_.loop.now();
    if (const Status kept = ports_.store.update(records_[job]); !kept.ok()) ports_.log.error(kept.message());
  }
  ports_.store.disown(job);
}

// The journal knows of the end; the index missed it, on a full disk or because the host was killed in between.
void Controller::settle_record(const JobId& job, const JobFold& fold) {
  JobRecord& record = records_[job];
  record.state = state_name(fold.state());
  record.ended = fold.state().ended;
  if (const Status kept = ports_.store.update(record); !kept.ok()) ports_.log.warning(kept.message());
  ports_.store.disown(job);
}

}  // namespace muster
